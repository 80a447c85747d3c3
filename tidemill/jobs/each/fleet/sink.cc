#include "tidemill/jobs/each/fleet/sink.h"

#include <optional>
#include <utility>
#include <variant>

#include "tidemill/base/try.h"
#include "tidemill/jobs/each/ending.h"
#include "tidemill/jobs/each/fleet/report_text.h"
#include "tidemill/ui/command/events.h"

namespace tidemill::each {
namespace {

using engine::Attempted;
using engine::Died;
using engine::Done;
using engine::Entry;
using engine::TaskReport;

// For the order of tasks that were never offered in this process: after all that were.
constexpr std::uint64_t kNeverOffered = std::uint64_t{1} << 62U;

}  // namespace

void EachFleetSink::offer(engine::TaskId id, std::string name, std::uint64_t sequence) {
  (*offered_.lock())[id] = {.name = std::move(name), .sequence = sequence};
}

Result<EachPipeline::Item> EachFleetSink::item_of(const TaskReport& report, int attempts) {
  Item item{.id = report.id, .item = {}, .attempts = attempts, .outcome = EachResult{}};
  item.item.id = report.id;
  item.item.sequence = kNeverOffered + report.id;
  bool was_offered = false;
  {
    auto offered = offered_.lock();
    if (const auto found = offered->find(report.id); found != offered->end()) {
      item.item.name = std::move(found->second.name);
      item.item.sequence = found->second.sequence;
      offered->erase(found);
      was_offered = true;
    }
  }
  if (!was_offered) {
    LET(auto record, task(report.id));
    if (record) item.item.name = std::move(record->subject);
  }
  if (auto ran = unpack_report(report.text)) {
    item.item.last = std::move(ran->last);
    item.outcome = EachResult{.result = std::move(ran->result)};
  }
  return item;
}

Result<void> EachFleetSink::store(std::span<const Entry> entries,
                                  std::span<const TaskReport* const> reports) {
  std::vector<Entry> stored;
  stored.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (const auto* done = std::get_if<Done>(&entry)) {
      LET(Item item, item_of(*reports[i], done->attempts));
      note_time(*reports[i], item.item.name);
      TRY(settle(std::move(item), stored));
    } else if (const auto* died = std::get_if<Died>(&entry)) {
      LET(Item item, item_of(*reports[i], died->attempts));
      note_time(*reports[i], item.item.name);
      item.outcome = died->failure;
      TRY(settle(std::move(item), stored));
    } else {
      if (const auto* attempt = std::get_if<Attempted>(&entry)) {
        note_time(*reports[i], "");
        TRY(tell_of(*attempt));
      }
      stored.push_back(entry);
    }
  }
  TRY(print_offered());
  TRY(parts_.disk_full.retry_until_written([&] { return parts_.printer.sync(); }));
  return parts_.disk_full.retry_until_written([&] { return journal().commit(stored); });
}

void EachFleetSink::note_time(const TaskReport& report, std::string name) {
  parts_.times.add({.task = report.id,
                    .type = std::string(kTaskType),
                    .note = std::move(name),
                    .attempt = report.attempt,
                    .took = report.took,
                    .ended = parts_.clock.wall()});
}

Result<void> EachFleetSink::settle(Item item, std::vector<Entry>& entries) {
  const Failure* const failure = item.failed();
  TRY(parts_.disk_full.retry_until_written(
      [&] { return parts_.printer.keep(0, item.item, item.attempts, failure); }));
  if (failure == nullptr) {
    entries.emplace_back(
        Done{.id = item.id, .attempts = item.attempts, .result = item.done()->result});
  } else {
    add_failure(item.id, item.attempts, *failure, item.item.last, parts_.clock.wall(), entries);
  }
  parts_.in_flight.finish(entries.back());
  count(failure != nullptr);
  return print(std::move(item));
}

Result<void> EachFleetSink::print(Item&& item) {
  const bool has_turn = item.item.sequence < kNeverOffered;
  if (!parts_.options.keep_order || has_turn) return parts_.printer.print(std::move(item));
  early_.emplace(item.id, std::move(item));
  return {};
}

Result<void> EachFleetSink::print_offered() {
  for (auto early = early_.begin(); early != early_.end();) {
    std::optional<std::uint64_t> sequence;
    {
      auto offered = offered_.lock();
      if (const auto found = offered->find(early->first); found != offered->end()) {
        sequence = found->second.sequence;
        offered->erase(found);
      }
    }
    if (!sequence) {
      ++early;
      continue;
    }
    early->second.item.sequence = *sequence;
    TRY(parts_.printer.print(std::move(early->second)));
    early = early_.erase(early);
  }
  return {};
}

Result<void> EachFleetSink::finish() {
  TRY(print_offered());
  for (auto& [id, item] : early_) TRY(parts_.printer.print(std::move(item)));
  early_.clear();
  return {};
}

Result<void> EachFleetSink::tell_of(const Attempted& attempt) {
  if (parts_.options.report != EachOutput::jsonl) return {};
  const auto wait =
      std::chrono::duration_cast<std::chrono::milliseconds>(attempt.not_before - attempt.at);
  return parts_.console.out(command::retry_event(
      {.id = attempt.id, .attempt = attempt.attempt, .failure = &attempt.failure, .wait = wait}));
}

void EachFleetSink::count(bool has_failed) {
  ++settled_;
  if (!has_failed) return;
  ++failed_;
  const auto manner =
      parts_.options.halt.decide(failed_, settled_, parts_.letters_before + failed_);
  if (manner != HaltRule::Manner::never) parts_.on_halt(manner);
}

}  // namespace tidemill::each
