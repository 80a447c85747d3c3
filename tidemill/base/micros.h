// Times as stored in files: whole microseconds since 1970.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/base/clock.h"

namespace tidemill {

// Rounds down, also for times before 1970.
[[nodiscard]] inline std::int64_t micros(WallTime at) {
  return std::chrono::floor<std::chrono::microseconds>(at).time_since_epoch().count();
}

// 1970 for a number out of range, which only a damaged file has: it must not overflow.
[[nodiscard]] inline WallTime time_of_micros(std::int64_t count) {
  using std::chrono::microseconds;
  constexpr auto kFirst = std::chrono::ceil<microseconds>(WallTime::min().time_since_epoch());
  constexpr auto kLast = std::chrono::floor<microseconds>(WallTime::max().time_since_epoch());
  if (count < kFirst.count() || count > kLast.count()) return {};
  return WallTime(microseconds(count));
}

}  // namespace tidemill
