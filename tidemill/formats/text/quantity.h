// Quantities as people read them: durations, rates, counts and sizes. Pure, whatever the locale.
// What makes no sense (a negative duration, a rate that is no number) is shown as zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tidemill/base/bytes.h"

namespace tidemill::text {

// "240 ms", "3.2 s", "4 min 12 s", "2 h 05 min", "1 d 3 h": rounded to the last part shown.
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);
// "0 s", "14 s", "1 min 14 s", …: the same in whole seconds, for what is shown while it changes.
[[nodiscard]] std::string seconds_text(std::chrono::nanoseconds duration);

// "812/s", "3.1/min", "0.4/h": the unit in which there is at least one, if there is such a unit.
[[nodiscard]] std::string rate_text(double per_second);

[[nodiscard]] std::string count_text(std::uint64_t count);  // "1,234,567"

[[nodiscard]] std::string bytes_text(Bytes bytes);            // "812 B", "1.4 GB": powers of 1000
[[nodiscard]] std::string byte_rate_text(double per_second);  // "1.4 GB/s"

}  // namespace tidemill::text
