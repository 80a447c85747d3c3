#include "tidemill/formats/text/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace tidemill::text {
namespace {

using std::chrono::nanoseconds;

constexpr double kMostShown = 1e17;  // ten times this still fits a long long

std::string with_zero(std::uint64_t below_100) {
  return (below_100 < 10 ? "0" : "") + std::to_string(below_100);
}

// One digit after the point.
std::string tenths_text(std::uint64_t tenths) {
  return count_text(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::uint64_t rounded(nanoseconds duration, nanoseconds unit) {
  const auto whole = duration / unit;
  const auto rest = duration % unit;
  return static_cast<std::uint64_t>(whole + (rest >= unit - rest ? 1 : 0));
}

// For a minute or more.
std::string long_text(nanoseconds duration) {
  using namespace std::chrono_literals;
  if (const auto seconds = rounded(duration, 1s); seconds < 3600) {
    return std::to_string(seconds / 60) + " min " + with_zero(seconds % 60) + " s";
  }
  if (const auto minutes = rounded(duration, 1min); minutes < 1440) {
    return std::to_string(minutes / 60) + " h " + with_zero(minutes % 60) + " min";
  }
  const auto hours = rounded(duration, 1h);
  return count_text(hours / 24) + " d " + std::to_string(hours % 24) + " h";
}

// Clamped to [0, kMostShown]; NaN becomes 0.
double sane(double number) { return number > 0 ? std::min(number, kMostShown) : 0.0; }

}  // namespace

std::string duration_text(nanoseconds duration) {
  using namespace std::chrono_literals;
  if (duration <= 0ns) return "0 s";
  if (const auto thousandths = rounded(duration, 1ms); thousandths < 1000) {
    return thousandths == 0 ? "<1 ms" : std::to_string(thousandths) + " ms";
  }
  if (const auto tenths = rounded(duration, 100ms); tenths < 600) return tenths_text(tenths) + " s";
  return long_text(duration);
}

std::string seconds_text(nanoseconds duration) {
  using namespace std::chrono_literals;
  if (duration <= 0ns) return "0 s";
  if (const auto seconds = rounded(duration, 1s); seconds < 60) {
    return std::to_string(seconds) + " s";
  }
  return long_text(duration);
}

std::string rate_text(double per_second) {
  static constexpr std::pair<double, const char*> kUnits[] = {
      {1, "/s"}, {60, "/min"}, {3600, "/h"}};
  const double rate = sane(per_second);
  for (const auto& [seconds, name] : kUnits) {
    const double in_unit = std::min(rate * seconds, kMostShown);
    const auto tenths = static_cast<std::uint64_t>(std::llround(in_unit * 10));
    if (tenths >= 100) return count_text(static_cast<std::uint64_t>(std::llround(in_unit))) + name;
    if (tenths >= 10) return tenths_text(tenths) + name;
  }
  const auto tenths = static_cast<std::uint64_t>(std::llround(rate * 3600 * 10));
  return tenths == 0 ? "0/s" : tenths_text(tenths) + "/h";
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string bytes_text(Bytes bytes) {
  static constexpr std::array kUnits = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
  if (bytes.count < 1000) return std::to_string(bytes.count) + kUnits[0];
  auto amount = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && amount >= 999.5) {
    amount /= 1000;
    ++unit;
  }
  const auto tenths = static_cast<std::uint64_t>(std::llround(amount * 10));
  const auto number = tenths < 1000 ? tenths_text(tenths)
                                    : count_text(static_cast<std::uint64_t>(std::llround(amount)));
  return number + kUnits[unit];
}

std::string byte_rate_text(double per_second) {
  return bytes_text({static_cast<std::uint64_t>(sane(per_second))}) + "/s";
}

}  // namespace tidemill::text
