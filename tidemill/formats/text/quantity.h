// Formats durations, rates, counts and sizes for people. Pure functions, independent of the locale.
// Invalid values (a negative duration, a rate that is NaN) are shown as zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tidemill/base/bytes.h"

namespace tidemill::text {

// "240 ms", "3.2 s", "4 min 12 s", "2 h 05 min", "1 d 3 h": rounded to the last unit shown.
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);
// "0 s", "14 s", "1 min 14 s", …: without fractions of a second, for values that keep changing.
[[nodiscard]] std::string seconds_text(std::chrono::nanoseconds duration);

// "812/s", "3.1/min", "0.4/h": the shortest unit in which the rate is at least 1, else per hour.
[[nodiscard]] std::string rate_text(double per_second);

[[nodiscard]] std::string count_text(std::uint64_t count);  // "1,234,567"

[[nodiscard]] std::string bytes_text(Bytes bytes);            // "812 B", "1.4 GB": powers of 1000
[[nodiscard]] std::string byte_rate_text(double per_second);  // "1.4 GB/s"

}  // namespace tidemill::text
