// Kinds: reads the values that a person types: durations, sizes, rates, counts.
//
// Pure functions. Every text has one meaning or is refused: no blanks, no signs, no locale, and a
// value that does not fit is refused, never cut. The reason of a Failure quotes the text and says
// what is accepted; it does not name the flag, because the caller knows where the text came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// A deadline this far away can still be added to any instant of the clocks.
inline constexpr std::chrono::milliseconds kLongestDuration = std::chrono::hours(24 * 36'500);

[[nodiscard]] Result<bool> parse_toggle(std::string_view text);  // "true" or "false"
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);
// 250ms, 30s, 1.5s, 5m, 2h, 1d; a bare number is seconds. Whole milliseconds only: what would be
// rounded is refused, so that a small value never turns into zero.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// 4096, 64K, 10M, 10MB, 10MiB, 2G, 1T: always powers of 1024.
[[nodiscard]] Result<Bytes> parse_size(std::string_view text);
// 10/s, 600/m, 0.5/h, as a number a second; above zero.
[[nodiscard]] Result<double> parse_rate(std::string_view text);

// Whether the flag takes the text: its kind, choices and range.
[[nodiscard]] Result<void> check(const Flag& flag, std::string_view text);
[[nodiscard]] Result<void> check(const Argument& argument, std::string_view text);

// "a duration such as 30s, 5m", "one of auto, always, never".
[[nodiscard]] std::string accepted(const Flag& flag);

}  // namespace tidemill::command
