#include "tidemill/ui/term/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::term {
namespace {

using text::columns;

// Narrows the widest column that is above its minimum, until `too_much` is 0 or none is left.
void take_from_widest(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least,
                      std::size_t& too_much) {
  while (too_much > 0) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= least[i]) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --too_much;
  }
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = text::printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::optional<std::size_t> limit) const {
  std::vector<std::size_t> widths;
  for (const TableColumn& column : columns_) {
    widths.push_back(columns(text::printable(column.heading)));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  const std::size_t gaps = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), gaps);
  if (!limit || all <= *limit) return widths;
  std::size_t too_much = all - *limit;
  std::vector<std::size_t> least = widths;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (columns_[i].align == Align::left) least[i] = std::min(widths[i], kReadable);
  }
  take_from_widest(widths, least, too_much);
  take_from_widest(widths, std::vector<std::size_t>(widths.size(), 1), too_much);
  return widths;
}

std::string Table::text(std::optional<std::size_t> width) const {
  const auto taken = widths(width);
  std::string out;
  const auto append = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = text::shorten(cell_at(i), taken[i]);
      const std::string blanks(taken[i] - columns(cell), ' ');
      if (i > 0) line.append(kGap, ' ');
      line += columns_[i].align == Align::left ? cell + blanks : blanks + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    // The terminal may be too narrow even for one character per column.
    out += (width ? text::shorten(line, *width) : line) + "\n";
  };
  append([&](std::size_t i) { return text::printable(columns_[i].heading); });
  for (const auto& row : rows_) append([&](std::size_t i) { return row[i]; });
  return out;
}

}  // namespace tidemill::term
