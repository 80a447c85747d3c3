// Kinds: parses the values that a user types: durations, sizes, rates, counts.
//
// Pure functions. Every text has exactly one meaning or is rejected: no blanks, no signs, no
// locale, and a value that is out of range is rejected, never truncated. The reason of a Failure
// quotes the text and says what is accepted; it does not name the flag, because the caller knows
// where the text came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// Short enough to be added to any instant of the clocks without overflow.
inline constexpr std::chrono::milliseconds kLongestDuration = std::chrono::hours(24 * 36'500);

[[nodiscard]] Result<bool> parse_toggle(std::string_view text);  // "true" or "false"
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);
// 250ms, 30s, 1.5s, 5m, 2h, 1d; a bare number is seconds. A value that is not a whole number of
// milliseconds is rejected, so that a small value is never rounded to zero.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// 4096, 64K, 10M, 10MB, 10MiB, 2G, 1T: always powers of 1024.
[[nodiscard]] Result<Bytes> parse_size(std::string_view text);
// 10/s, 600/m, 0.5/h, returned per second; must be above zero.
[[nodiscard]] Result<double> parse_rate(std::string_view text);

// Whether the text is valid for the flag: its kind, choices and range.
[[nodiscard]] Result<void> check(const Flag& flag, std::string_view text);
[[nodiscard]] Result<void> check(const Argument& argument, std::string_view text);

// What the flag accepts: "a duration such as 30s, 5m", "one of auto, always, never".
[[nodiscard]] std::string accepted(const Flag& flag);

}  // namespace tidemill::command
