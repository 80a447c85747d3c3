// Times as stored in the files of a run: whole microseconds since 1970.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/base/clock.h"

namespace tidemill::journal {

// Rounds down, also for times before 1970.
[[nodiscard]] inline std::int64_t micros(WallTime at) {
  return std::chrono::floor<std::chrono::microseconds>(at).time_since_epoch().count();
}

}  // namespace tidemill::journal
