// How far a run is: one bar, and below it the numbers in words with the key of each part; or, for
// a row of a table that has the numbers, the bar alone.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/formats/html/html.h"

namespace tidemill::html {

struct TaskCounts {
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;
  std::uint64_t failed = 0;
  std::uint64_t left = 0;
  bool is_counting = false;  // more tasks may be found: there is no percentage yet
};

[[nodiscard]] SafeHtml progress_bar(const TaskCounts& counts);
[[nodiscard]] SafeHtml small_progress_bar(const TaskCounts& counts);

}  // namespace tidemill::html
