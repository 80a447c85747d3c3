// LineCounts: the outcomes of lines. Every line is counted: lines = rows + blank + rejected.
#pragma once

#include <cstdint>

namespace tidemill::import {

struct LineCounts {
  std::uint64_t lines = 0;
  std::uint64_t rows = 0;  // of the file's own table
  std::uint64_t blank = 0;
  std::uint64_t rejected = 0;
  std::uint64_t child_rows = 0;

  LineCounts& operator+=(const LineCounts& more) {
    lines += more.lines;
    rows += more.rows;
    blank += more.blank;
    rejected += more.rejected;
    child_rows += more.child_rows;
    return *this;
  }
  bool operator==(const LineCounts&) const = default;
};

}  // namespace tidemill::import
