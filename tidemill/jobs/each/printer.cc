#include "tidemill/jobs/each/printer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/each/events.h"
#include "tidemill/jobs/each/output.h"
#include "tidemill/text/printable.h"

namespace tidemill::each {
namespace {

constexpr std::size_t kShownBytes = 2'048;  // of each output, with an item's details

Bytes size_of(const Piece& piece) {
  return {piece.last.out.head.size() + piece.last.err.head.size()};
}

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

Result<void> Printer::keep(Piece& piece) const {
  if (options_.results.empty()) return {};
  const std::string path = options_.results + "/" + std::to_string(piece.id);
  TRY(keep_as(piece.last.out, path + ".out"));
  return keep_as(piece.last.err, path + ".err");
}

Result<void> Printer::sync() const {
  if (options_.results.empty()) return {};
  const Descriptor folder(::open(options_.results.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open() && ::syncfs(folder.number()) == 0) return {};
  return fail(Cure::give_up, "results",
              options_.results + ": " + std::generic_category().message(errno));
}

Result<void> Printer::print(EachPipeline::Item&& item) {
  if (console_.wants_items()) console_.settled(settled_item(item));
  if (options_.report == Report::jsonl) {
    auto said = console_.out(task_event(item));
    forget(item.item.last.out);
    forget(item.item.last.err);
    return said;
  }
  if (!options_.results.empty()) return {};
  if (!options_.keep_order) return write(item.item);
  TRY(hold(std::move(item.item)));
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    auto first = waiting_.extract(waiting_.begin());
    held_ -= size_of(first.mapped());
    TRY(write(first.mapped()));
    ++next_;
  }
  return {};
}

Result<void> Printer::finish() {
  while (!waiting_.empty()) {
    auto first = waiting_.extract(waiting_.begin());
    TRY(write(first.mapped()));
  }
  return {};
}

Result<void> Printer::hold(Piece&& piece) {
  if (piece.sequence != next_ && held_ + size_of(piece) > kMostInMemory) {
    const std::string path = spill_folder_ + "/held-" + std::to_string(piece.id);
    TRY(put_aside(piece.last.out, path + ".out"));
    TRY(put_aside(piece.last.err, path + ".err"));
  }
  held_ += size_of(piece);
  waiting_.emplace(piece.sequence, std::move(piece));
  return {};
}

// With --json standard output is for the summary alone.
Result<void> Printer::write(Piece& piece) const {
  const Put to_out = [&](std::string_view bytes) {
    return options_.report == Report::json ? console_.err(bytes) : console_.out(bytes);
  };
  const Put to_err = [&](std::string_view bytes) { return console_.err(bytes); };
  if (options_.tag) {
    const std::string tag = text::printable(piece.name);
    TRY(copy_tagged(piece.last.out, tag, to_out));
    TRY(copy_tagged(piece.last.err, tag, to_err));
  } else {
    TRY(copy_all(piece.last.out, to_out));
    TRY(copy_all(piece.last.err, to_err));
  }
  forget(piece.last.out);
  forget(piece.last.err);
  return {};
}

}  // namespace tidemill::each
