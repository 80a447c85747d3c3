// Numbers in a plot: coordinates, and amounts with their unit. Pure functions; nothing fails: a
// number that is not finite is 0, and one too large is the largest that can be shown.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::html {

// Coordinates are written in tenths, which is finer than a pixel.
[[nodiscard]] std::int64_t tenths(double coordinate);
void append_tenths(std::string& text, std::int64_t tenths);  // "12.3", "-4", "0"

// What a number counts. Durations are in seconds.
enum class Unit : std::uint8_t { count, per_second, bytes, bytes_per_second, duration };

// For tables and sentences: "1,234", "612/s", "1.4 GB", "240 ms".
[[nodiscard]] std::string amount_text(Unit unit, double amount);
// For axes, where a round number is expected: "1.2 M", "900/s", "2 GB", "10 ms".
[[nodiscard]] std::string axis_text(Unit unit, double amount);

// Ticks at 0, step, 2 step … max, 5 at most: max is at least `highest`, and above 0.
struct AmountScale {
  double step = 1;
  double max = 1;
};
[[nodiscard]] AmountScale amount_scale(Unit unit, double highest);

}  // namespace tidemill::html
