// The horizontal axis of a plot over time. How an instant reads, and in which time zone, is a
// function that is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/formats/html/html.h"

namespace tidemill::html {

// What must be shown of an instant: "16 Nov", "16 Nov 14:02", "14:02", "14:02:05".
enum class TimeDetail : std::uint8_t { date, date_and_minute, minute, second };
using TimeText = std::function<std::string(WallTime at, TimeDetail detail)>;

// In UTC.
[[nodiscard]] std::string utc_time_text(WallTime at, TimeDetail detail);

struct TimeRange {
  WallTime from;
  WallTime until;
};

// Where instants are between two coordinates. A range that is empty is made a second long.
// *Immutable.*
class TimeAxis final {
 public:
  TimeAxis(TimeRange range, TimeText text, double left, double right);

  [[nodiscard]] bool contains(WallTime at) const { return range_.from <= at && at <= range_.until; }
  [[nodiscard]] double x(WallTime at) const;  // outside: at the edge
  [[nodiscard]] double width() const { return right_ - left_; }
  [[nodiscard]] const TimeRange& range() const { return range_; }
  // As precise as needed if others are `step` away.
  [[nodiscard]] std::string text(WallTime at, std::chrono::seconds step) const;
  // As precise as the drawing.
  [[nodiscard]] std::string text(WallTime at) const;

  // Lines from `top` to `bottom` at round times, and the times below.
  void draw(Html& html, double top, double bottom) const;

 private:
  [[nodiscard]] std::chrono::seconds tick_step() const;

  TimeRange range_;
  TimeText text_;
  double left_;
  double right_;
};

}  // namespace tidemill::html
