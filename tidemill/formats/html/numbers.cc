#include "tidemill/formats/html/numbers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr double kLargest = 9e17;  // an int64_t has room for ten times this

// [0, kLargest]; not finite: 0.
double shown(double amount) {
  return std::isfinite(amount) ? std::clamp(amount, 0.0, kLargest) : 0.0;
}

std::uint64_t rounded(double amount) { return static_cast<std::uint64_t>(std::llround(amount)); }

// Three digits, and no zeros at the end: "1.25", "40", "0.002".
std::string short_number(double number) {
  if (number >= 99.95) return text::count_text(rounded(number));
  int places = number >= 9.995 ? 1 : 2;
  for (double least = 0.1; number > 0 && number < least && places < 9; least /= 10) ++places;
  const double scale = std::pow(10, places);
  const std::uint64_t scaled = rounded(number * scale);
  std::string fraction = std::to_string(scaled % rounded(scale));
  fraction.insert(0, static_cast<std::size_t>(places) - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  const std::string whole = std::to_string(scaled / rounded(scale));
  return fraction.empty() ? whole : whole + "." + fraction;
}

// "1.2 M", "1.5 GB/s".
std::string scaled_text(double amount, std::string_view unit) {
  static constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (prefix + 1 < kPrefixes.size() && amount >= 999.5) {
    amount /= 1000;
    ++prefix;
  }
  std::string text = short_number(amount);
  if (prefix > 0 || (!unit.empty() && unit.front() != '/')) text += ' ';
  text += kPrefixes[prefix];
  text += unit;
  return text;
}

std::string short_duration(double seconds) {
  static constexpr std::array<std::pair<double, const char*>, 7> kUnits = {{{86400, " d"},
                                                                            {3600, " h"},
                                                                            {60, " min"},
                                                                            {1, " s"},
                                                                            {1e-3, " ms"},
                                                                            {1e-6, " µs"},
                                                                            {1e-9, " ns"}}};
  if (seconds <= 0) return "0 s";
  for (const auto& [size, name] : kUnits) {
    if (seconds >= size * 0.9995) return short_number(seconds / size) + name;
  }
  return "<1 ns";
}

}  // namespace

std::int64_t tenths(double coordinate) {
  if (!std::isfinite(coordinate)) return 0;
  return std::llround(std::clamp(coordinate, -1e6, 1e6) * 10);
}

void append_tenths(std::string& text, std::int64_t tenths) {
  if (tenths < 0) text += '-';
  const std::int64_t size = std::abs(tenths);
  text += std::to_string(size / 10);
  if (size % 10 != 0) {
    text += '.';
    text += static_cast<char>('0' + size % 10);
  }
}

std::string amount_text(Unit unit, double amount) {
  amount = shown(amount);
  switch (unit) {
    case Unit::count:
      return short_number(amount);
    case Unit::per_second:
      return text::rate_text(amount);
    case Unit::bytes:
      return text::bytes_text({rounded(amount)});
    case Unit::bytes_per_second:
      return text::byte_rate_text(amount);
    case Unit::duration:
      break;
  }
  if (amount < 1e-3) return short_duration(amount);
  return text::duration_text(std::chrono::nanoseconds(std::llround(std::min(amount, 9e9) * 1e9)));
}

std::string axis_text(Unit unit, double amount) {
  amount = shown(amount);
  switch (unit) {
    case Unit::count:
      return scaled_text(amount, "");
    case Unit::per_second:
      return amount == 0 ? "0" : scaled_text(amount, "/s");
    case Unit::bytes:
      return amount == 0 ? "0" : scaled_text(amount, "B");
    case Unit::bytes_per_second:
      return amount == 0 ? "0" : scaled_text(amount, "B/s");
    case Unit::duration:
      break;
  }
  return short_duration(amount);
}

AmountScale amount_scale(Unit unit, double highest) {
  static constexpr std::array kSteps = {1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
  constexpr double kIntervals = 4;
  highest = shown(highest);
  const bool is_whole = unit == Unit::count || unit == Unit::bytes;
  if (highest <= 0 || (is_whole && highest <= 1)) return {};
  const double least = std::max(highest / kIntervals, 1e-9);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double step : kSteps) {
    if (is_whole && step * power != std::floor(step * power)) continue;
    if (step * power < least * (1 - 1e-9)) continue;
    const double intervals = std::ceil(highest / (step * power) * (1 - 1e-9));
    return {.step = step * power, .max = std::max(intervals, 1.0) * step * power};
  }
  return {.step = 10 * power, .max = kIntervals * 10 * power};
}

}  // namespace tidemill::html
