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
constexpr std::size_t kShownBytes = 2'048;  // of each output, with an item's details

// For a console that shows single items: why it failed, and the last it said.
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

Result<std::unique_ptr<Printer>> Printer::make(const Options& options, std::string spill_folder,
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
  const bool has_turns = options_.keep_order && options_.files.order == Order::found;
  return has_turns ? Result<void>() : print_left(kBeyondAll);
}

Result<void> Printer::keep(std::size_t worker, Piece& piece, int attempts, const Failure* failure) {
  const bool wants_event = options_.report == Report::jsonl;
  TaskOutput output{.id = piece.id};
  if (wants_event) {
    piece.event = task_event(piece, attempts, failure);
    output.is_event = true;
    output.out = {.head = piece.event, .total = piece.event.size()};
  }
  if (results_) {
    const std::string name = std::to_string(piece.id);
    TRY(keep_in(piece.last.out, *results_, name + ".out"));
    TRY(keep_in(piece.last.err, *results_, name + ".err"));
    if (!wants_event) return {};
  } else if (!wants_event) {
    if (piece.last.out.total == 0 && piece.last.err.total == 0) return {};
    output.out = piece.last.out;
    output.err = piece.last.err;
  }
  LET(piece.record, log_->append(worker, output));
  return {};
}

Result<void> Printer::print(EachPipeline::Item&& item) {
  if (console_.wants_items()) console_.settled(settled_item(item));
  Piece& piece = item.item;
  TaskOutput output{.id = piece.id, .name = piece.name};
  if (options_.report == Report::jsonl) {
    if (piece.event.empty()) piece.event = task_event(piece, item.attempts, item.failed());
    output.is_event = true;
    output.out = {.head = piece.event, .total = piece.event.size()};
    forget(piece.last.out);
    forget(piece.last.err);
  } else if (options_.results.empty()) {
    output.out = std::move(piece.last.out);
    output.err = std::move(piece.last.err);
  }
  waiting_.emplace(piece.sequence,
                   Waiting{.output = std::move(output), .record = std::move(piece.record)});
  while (!waiting_.empty() && has_turn(waiting_.begin()->first)) TRY(print_first());
  return {};
}

bool Printer::has_turn(std::uint64_t sequence) const {
  const bool wants_order = options_.keep_order && options_.report != Report::jsonl;
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
    waiting.record.mark_printed();  // not needed any more
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

// With --json standard output is for the summary alone, with --jsonl for its lines.
Result<void> Printer::write(TaskOutput& output) const {
  const bool is_out = output.is_event || options_.report == Report::output;
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
