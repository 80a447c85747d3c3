#include "tidemill/ui/term/live_block.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/term/paint.h"

namespace tidemill::term {
namespace {

using engine::ProgressItem;
using engine::ProgressSnapshot;
using text::columns;

// The columns of a line, the lines of the block, and whether it is coloured.
struct Room {
  std::size_t columns = 0;
  std::size_t lines = 0;
  bool has_colour = false;
};

struct Part {
  std::string text{};
  int importance = 0;
  Colour colour = Colour::none;
};

// Joins the parts in their order. If not all fit, the less important ones are dropped.
std::string line_of(const std::vector<Part>& parts, Room room) {
  static constexpr std::size_t kGap = 2;
  std::vector<const Part*> wanted;
  for (const Part& part : parts) {
    if (!part.text.empty()) wanted.push_back(&part);
  }
  std::ranges::sort(wanted, std::greater{}, &Part::importance);  // each importance is unique
  std::vector<const Part*> shown;
  std::size_t taken = 0;
  for (const Part* part : wanted) {
    const std::size_t needed = columns(part->text) + (shown.empty() ? 0 : kGap);
    if (!shown.empty() && taken + needed > room.columns) continue;
    shown.push_back(part);
    taken += needed;
  }
  std::ranges::sort(shown);  // back in their order: pointers into one vector
  std::string line;
  for (const Part* part : shown) {
    if (!line.empty()) line.append(kGap, ' ');
    line += painted(text::shorten(part->text, room.columns), part->colour, room.has_colour);
  }
  return line;
}

std::string counts_text(const ProgressSnapshot& snapshot) {
  return text::count_text(snapshot.counts.settled()) + "/" +
         text::count_text(snapshot.counts.found);
}

// From 0 to 1. Counts that were read at slightly different times must not overfill the bar.
double share_of(const ProgressSnapshot& snapshot) {
  if (snapshot.counts.found == 0) return snapshot.is_total_known ? 1.0 : 0.0;
  return std::min(1.0, static_cast<double>(snapshot.counts.settled()) /
                           static_cast<double>(snapshot.counts.found));
}

// Rounded down: 100 % means that nothing is left.
std::string percent_text(const ProgressSnapshot& snapshot) {
  if (!snapshot.is_total_known) return {};
  const auto percent = std::to_string(static_cast<int>(share_of(snapshot) * 100));
  return std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + " %";
}

std::string failed_text(const ProgressSnapshot& snapshot) {
  return snapshot.failures > 0 ? text::count_text(snapshot.failures) + " failed" : std::string();
}

std::string eta_text(const ProgressSnapshot& snapshot) {
  return snapshot.eta ? "ETA " + text::seconds_text(*snapshot.eta) : std::string();
}

std::string waits_text(const ProgressSnapshot& snapshot) {
  return snapshot.waits_for.empty() ? std::string() : "waiting for " + snapshot.waits_for;
}

std::string bar(double share, std::size_t width) {
  const auto full = std::min(width, static_cast<std::size_t>(share * static_cast<double>(width)));
  std::string text(full, '=');
  if (full < width) text += '>';
  text.resize(width, ' ');
  return text;
}

std::string head_line(const ProgressSnapshot& snapshot, Room room, std::string_view title) {
  const Part name{
      .text = text::fit(title, room.columns / 3), .importance = 1, .colour = Colour::bold};
  const Part percent{.text = percent_text(snapshot), .importance = 3};
  const Part counts{.text = counts_text(snapshot), .importance = 4};
  if (!snapshot.is_total_known) {
    return line_of({name, counts, {.text = "scanning…", .importance = 2}}, room);
  }
  const std::string left =
      painted(name.text, name.colour, room.has_colour) + (name.text.empty() ? "[" : " [");
  const std::string right = "] " + percent.text + "  " + counts.text;
  const std::size_t taken = columns(name.text) + (name.text.empty() ? 1 : 2) + columns(right);
  if (taken + kNarrowestBar > room.columns) return line_of({name, percent, counts}, room);
  const auto inside = std::min(kWidestBar, room.columns - taken);
  return left + painted(bar(share_of(snapshot), inside), Colour::green, room.has_colour) + right;
}

std::string detail_line(const ProgressSnapshot& snapshot, Room room) {
  std::vector<Part> parts = {{.text = text::rate_text(snapshot.items_per_second), .importance = 5}};
  if (snapshot.counts.found_bytes.count > 0) {
    parts.push_back({.text = text::byte_rate_text(snapshot.bytes_per_second), .importance = 2});
  }
  parts.push_back({.text = eta_text(snapshot), .importance = 6});
  parts.push_back({.text = waits_text(snapshot), .importance = 8, .colour = Colour::yellow});
  parts.push_back({.text = text::seconds_text(snapshot.elapsed) + " elapsed", .importance = 4});
  if (snapshot.workers > 0) {
    parts.push_back({.text = text::count_text(snapshot.busy) + "/" +
                             text::count_text(snapshot.workers) + " busy",
                     .importance = 3});
  }
  if (snapshot.counts.skipped > 0) {
    parts.push_back(
        {.text = text::count_text(snapshot.counts.skipped) + " skipped", .importance = 1});
  }
  parts.push_back({.text = failed_text(snapshot), .importance = 7, .colour = Colour::red});
  return line_of(parts, room);
}

// The only line on a terminal of two lines.
std::string only_line(const ProgressSnapshot& snapshot, Room room, std::string_view title) {
  return line_of({{.text = text::fit(title, room.columns / 3), .importance = 1},
                  {.text = percent_text(snapshot), .importance = 2},
                  {.text = counts_text(snapshot), .importance = 5},
                  {.text = eta_text(snapshot), .importance = 3},
                  {.text = waits_text(snapshot), .importance = 6, .colour = Colour::yellow},
                  {.text = failed_text(snapshot), .importance = 4, .colour = Colour::red}},
                 room);
}

void append_items(std::vector<std::string>& lines, const ProgressSnapshot& snapshot, Room room) {
  std::vector<const ProgressItem*> items;
  for (const ProgressItem& item : snapshot.current) items.push_back(&item);
  std::ranges::sort(items, [](const ProgressItem* a, const ProgressItem* b) {
    return a->running_for != b->running_for ? a->running_for > b->running_for : a < b;
  });
  items.resize(std::min({items.size(), kMostItems, room.lines - lines.size()}));

  std::vector<std::string> ages;
  std::size_t widest = 0;
  for (const ProgressItem* item : items) {
    ages.push_back(text::seconds_text(item->running_for));
    widest = std::max(widest, ages.back().size());
  }
  // "  12 s  name"; without the age if the name would get less than half of the line.
  const std::size_t before = widest + 4;
  const bool has_ages = before * 2 <= room.columns;
  const std::size_t left = room.columns - (has_ages ? before : 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string& note = items[i]->note;
    std::string line;
    if (has_ages) {
      line = std::string(2 + widest - ages[i].size(), ' ') + ages[i];
      line = painted(line, Colour::dim, room.has_colour) + "  ";
    }
    lines.push_back(line +
                    text::fit(note.empty() ? "task " + std::to_string(items[i]->id) : note, left));
  }
}

}  // namespace

std::vector<std::string> render(const ProgressSnapshot& snapshot, Size size, bool has_colour,
                                std::string_view title) {
  if (size.width < 2 || size.height < 2) return {};
  const Room room{.columns = size.width - 1, .lines = size.height - 1, .has_colour = has_colour};
  if (room.lines == 1) return {only_line(snapshot, room, title)};
  std::vector<std::string> lines = {head_line(snapshot, room, title), detail_line(snapshot, room)};
  append_items(lines, snapshot, room);
  return lines;
}

std::string status_text(const ProgressSnapshot& snapshot) {
  const auto& counts = snapshot.counts;
  std::string text = text::count_text(counts.done) + "/" + text::count_text(counts.found) + " done";
  if (!snapshot.is_total_known && !snapshot.is_last) text += ", still scanning";
  if (counts.skipped > 0) text += ", " + text::count_text(counts.skipped) + " skipped";
  if (snapshot.failures > 0) text += ", " + failed_text(snapshot);
  text += ", " + text::rate_text(snapshot.items_per_second);
  if (snapshot.eta) text += ", " + eta_text(snapshot);
  if (!snapshot.waits_for.empty()) text += ", " + waits_text(snapshot);
  if (snapshot.is_last) text += ", took " + text::duration_text(snapshot.elapsed);
  return text;
}

}  // namespace tidemill::term
