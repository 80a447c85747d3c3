// Reduces the samples of a line to what a drawing can show: each part of the time keeps its lowest
// and its highest value, so no peak and no drop is lost. Pure functions; nothing fails.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "tidemill/base/clock.h"

namespace tidemill::html {

struct TimeSample {
  WallTime at;
  double value = 0;
};

// A sample as it is drawn.
struct LinePoint {
  TimeSample sample;
  bool is_start = false;  // no line leads here: the first, or the first behind a gap
};

// The samples by time, without values that are not finite; below 0 becomes 0.
[[nodiscard]] std::vector<TimeSample> cleaned(std::span<const TimeSample> samples);

// At most `most` points of cleaned samples. There is a gap where two samples are further apart than
// `gap` and than a part of the time.
[[nodiscard]] std::vector<LinePoint> decimated(std::span<const TimeSample> samples,
                                               std::chrono::nanoseconds gap, std::size_t most);

}  // namespace tidemill::html
