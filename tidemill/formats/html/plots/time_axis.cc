#include "tidemill/formats/html/plots/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tidemill/formats/html/plots/figure.h"

namespace tidemill::html {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;
using namespace std::chrono_literals;

constexpr double kLabelGap = 14;
constexpr double kOneDay = 86400;  // in seconds: a longer axis names the dates

double length_of(WallTime from, WallTime until) {
  return std::chrono::duration<double>(until.time_since_epoch()).count() -
         std::chrono::duration<double>(from.time_since_epoch()).count();
}

}  // namespace

std::string utc_time_text(WallTime at, TimeDetail detail) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto second = std::chrono::floor<seconds>(at);
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(second - day);
  auto day_text = fmt::format("{} {}", static_cast<unsigned>(date.day()),
                              kMonths[(static_cast<unsigned>(date.month()) + 11) % 12]);
  auto minute = fmt::format("{:02}:{:02}", time.hours().count(), time.minutes().count());
  switch (detail) {
    case TimeDetail::date:
      return day_text;
    case TimeDetail::date_and_minute:
      return day_text + " " + minute;
    case TimeDetail::minute:
      return minute;
    case TimeDetail::second:
      break;
  }
  return fmt::format("{}:{:02}", minute, time.seconds().count());
}

TimeAxis::TimeAxis(TimeRange range, TimeText text, double left, double right)
    : range_(range), text_(std::move(text)), left_(left), right_(right) {
  if (range_.until <= range_.from) range_.until = range_.from + 1s;
  if (!text_) text_ = utc_time_text;
}

double TimeAxis::x(WallTime at) const {
  const double part = length_of(range_.from, at) / length_of(range_.from, range_.until);
  return left_ + std::clamp(part, 0.0, 1.0) * width();
}

std::string TimeAxis::text(WallTime at, seconds step) const {
  if (step >= 24h) return text_(at, TimeDetail::date);
  if (length_of(range_.from, range_.until) > kOneDay) return text_(at, TimeDetail::date_and_minute);
  return text_(at, step >= 1min ? TimeDetail::minute : TimeDetail::second);
}

std::string TimeAxis::text(WallTime at) const {
  const double part = length_of(range_.from, range_.until) / 100;
  return text(at, seconds(static_cast<std::int64_t>(std::min(part, kOneDay - 1))));
}

// The smallest step whose labels have room.
seconds TimeAxis::tick_step() const {
  static constexpr std::array<seconds, 22> kSteps = {
      1s,    2s, 5s, 10s, 15s, 30s, 1min, 2min, 5min,    10min,    15min,
      30min, 1h, 2h, 3h,  6h,  12h, 24h,  48h,  7 * 24h, 14 * 24h, 28 * 24h};
  const double length = length_of(range_.from, range_.until);
  for (const seconds step : kSteps) {
    const double distance = width() * static_cast<double>(step.count()) / length;
    const double needed = label_width(text(range_.until, step)) + kLabelGap;
    if (distance >= std::max(needed, width() / 6)) return step;
  }
  return seconds(static_cast<std::int64_t>(length / 3) + 1);
}

void TimeAxis::draw(Html& html, double top, double bottom) const {
  const seconds step = tick_step();
  const double y = bottom + kLabelHeight;
  const auto since = std::chrono::floor<seconds>(range_.from).time_since_epoch();
  auto index = since / step;
  PathData lines;
  for (int drawn = 0; drawn < 12; ++index) {
    const WallTime at(index * step);
    if (at > range_.until) break;
    if (at < range_.from) continue;
    lines.move_to(x(at), top);
    lines.line_to(x(at), bottom + 4);
    draw_label_within(html, x(at), y, text(at, step));
    ++drawn;
  }
  if (!lines.str().empty()) html.element("path", {{"class", "grid"}, {"d", lines.str()}});
}

}  // namespace tidemill::html
