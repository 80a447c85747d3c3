#include "tidemill/jobs/import/rows/widenings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace tidemill::import {
namespace {

struct Sight {
  std::size_t file;
  std::uint64_t line;
  std::size_t bit;
};

// The bits by the line in which they were first seen.
std::vector<Sight> sights_of(const Column& column) {
  std::vector<Sight> sights;
  for (std::size_t bit = 0; bit < kSeenBits; ++bit) {
    if ((column.seen >> bit & 1U) != 0 && column.first_line[bit] > 0) {
      sights.push_back({column.first_file[bit], column.first_line[bit], bit});
    }
  }
  std::ranges::sort(sights, {}, [](const Sight& s) { return std::tuple(s.file, s.line, s.bit); });
  return sights;
}

// Seen by earlier imports.
Seen seen_before(const Column& column) {
  unsigned seen = 0;
  for (std::size_t bit = 0; bit < kSeenBits; ++bit) {
    if (column.first_line[bit] == 0) seen |= column.seen & 1U << bit;
  }
  return static_cast<Seen>(seen);
}

}  // namespace

std::vector<Widening> widenings_of(std::string_view table, const RowTable::State& state) {
  std::vector<Widening> widened;
  for (const Column& column : state.columns) {
    if (column.forced || column.is_ours) continue;
    Seen seen = seen_before(column);
    for (const Sight& sight : sights_of(column)) {
      const ColumnType before = type_of(seen);
      seen = static_cast<Seen>(seen | 1U << sight.bit);
      const ColumnType after = type_of(seen);
      if (before == after || before == ColumnType::none) continue;
      widened.push_back({.table = std::string(table),
                         .column = column.name,
                         .from = before,
                         .to = after,
                         .file = sight.file,
                         .line = sight.line,
                         .seen = std::string(name_of_bit(sight.bit))});
    }
  }
  return widened;
}

}  // namespace tidemill::import
