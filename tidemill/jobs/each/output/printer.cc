#include "tidemill/jobs/each/output/printer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/each/output/events.h"
#include "tidemill/jobs/each/output/output.h"
#include "tidemill/jobs/each/output/unprinted.h"

namespace tidemill::each {
namespace {

constexpr engine::TaskId kBeyondAll = std::numeric_limits<engine::TaskId>::max();
constexpr std::size_t kShownBytes = 2'048;  // of each stream, in the details of an item

// For a console that shows single items: why the task failed, and the end of its output.
command::SettledItem settled_item(const EachPipeline::Item& item) {
  command::SettledItem settled{.name = item.item.name};
  if (const Failure* failure = item.failed()) {
    settled.state = command::ItemState::failed;
    settled.details.push_back(text_of(*failure));
  }
  for (const proc::Captured* output : {&item.item.last.err, &item.item.last.out}) {
    const std::string tail = tail_of(*output, kShownBytes);
    for (std::size_t at = 0; at < tail.size();) {
      const std::size_t end = std::min(tail.find('\n', at), tail.size());
      settled.details.push_back(tail.substr(at, end - at));
      at = end + 1;
    }
  }
  return settled;
}

}  // namespace

Result<std::unique_ptr<Printer>> Printer::make(const EachOptions& options, std::string spill_folder,
                                               command::Console& console,
                                               std::vector<TaskOutput> left) {
  LET(auto log, OutputLog::make(spill_folder, options.workers));
  std::unique_ptr<Printer> printer(
      new Printer(options, std::move(spill_folder), console, std::move(left), std::move(log)));
  if (!options.results.empty()) {
    LET(printer->results_, files::HeldFolder::make(options.results));
  }
  return printer;
}

Result<void> Printer::start() {
  const bool has_turns = options_.keep_order && options_.files.order == FileOrder::found;
  return has_turns ? Result<void>() : print_left(kBeyondAll);
}

Result<void> Printer::keep(std::size_t worker, EachItem& item, int attempts,
                           const Failure* failure) {
  const bool wants_event = options_.report == EachOutput::jsonl;
  TaskOutput output{.id = item.id};
  if (wants_event) {
    item.event = task_event(item, attempts, failure);
    output.is_event = true;
    output.out = {.head = item.event, .total = item.event.size()};
  }
  if (results_) {
    const std::string name = std::to_string(item.id);
    TRY(keep_in(item.last.out, *results_, name + ".out"));
    TRY(keep_in(item.last.err, *results_, name + ".err"));
    if (!wants_event) return {};
  } else if (!wants_event) {
    if (item.last.out.total == 0 && item.last.err.total == 0) return {};
    output.out = item.last.out;
    output.err = item.last.err;
  }
  LET(item.record, log_->append(worker, output));
  return {};
}

Result<void> Printer::print(EachPipeline::Item&& item) {
  if (console_.wants_items()) console_.settled(settled_item(item));
  EachItem& task = item.item;
  TaskOutput output{.id = task.id, .name = task.name};
  if (options_.report == EachOutput::jsonl) {
    if (task.event.empty()) task.event = task_event(task, item.attempts, item.failed());
    output.is_event = true;
    output.out = {.head = task.event, .total = task.event.size()};
    forget(task.last.out);
    forget(task.last.err);
  } else if (options_.results.empty()) {
    output.out = std::move(task.last.out);
    output.err = std::move(task.last.err);
  }
  waiting_.emplace(task.sequence,
                   Waiting{.output = std::move(output), .record = std::move(task.record)});
  while (!waiting_.empty() && has_turn(waiting_.begin()->first)) TRY(print_first());
  return {};
}

bool Printer::has_turn(std::uint64_t sequence) const {
  const bool wants_order = options_.keep_order && options_.report != EachOutput::jsonl;
  return !wants_order || sequence == next_;
}

Result<void> Printer::print_first() {
  auto first = waiting_.begin();
  if (options_.keep_order) TRY(print_left(first->second.output.id));
  TRY(write(first->second.output));
  first->second.record.mark_printed();
  next_ = first->first + 1;
  waiting_.erase(first);
  return {};
}

Result<void> Printer::print_left(engine::TaskId before) {
  for (; left_printed_ < left_.size() && left_[left_printed_].id < before; ++left_printed_) {
    TRY(write(left_[left_printed_]));
  }
  return {};
}

Result<void> Printer::sync() {
  bool has_held = false;
  for (auto& [sequence, waiting] : waiting_) {
    if (waiting.is_held) continue;
    TRY(hold(waiting.output, spill_folder_));
    waiting.record.mark_printed();  // the held files replace it
    waiting.is_held = true;
    has_held = true;
  }
  if (has_held) TRY(sync_folder(spill_folder_));
  if (!options_.results.empty()) TRY(sync_folder(options_.results));
  return console_.sync();
}

Result<void> Printer::finish() {
  while (!waiting_.empty()) TRY(print_first());
  return print_left(kBeyondAll);
}

// With --json only the summary goes to standard output, with --jsonl only the events.
Result<void> Printer::write(TaskOutput& output) const {
  const bool is_out = output.is_event || options_.report == EachOutput::output;
  const Put to_out = [&](std::string_view bytes) {
    return is_out ? console_.out(bytes) : console_.err(bytes);
  };
  const Put to_err = [&](std::string_view bytes) { return console_.err(bytes); };
  if (options_.tag && !output.is_event) {
    const std::string tag = text::printable(output.name);
    TRY(copy_tagged(output.out, tag, to_out));
    TRY(copy_tagged(output.err, tag, to_err));
  } else {
    TRY(copy_all(output.out, to_out));
    TRY(copy_all(output.err, to_err));
  }
  forget(output.out);
  forget(output.err);
  return {};
}

}  // namespace tidemill::each
