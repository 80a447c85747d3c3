// A plot of values over time: one line per series, filled below where there are one or two. The
// vertical axis begins at 0. Where no sample was taken for longer than `gap`, the process did not
// run, and the line is interrupted.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tidemill/formats/html/numbers.h"
#include "tidemill/formats/html/plots/decimate.h"
#include "tidemill/formats/html/plots/figure.h"
#include "tidemill/formats/html/plots/time_axis.h"

namespace tidemill::html {

struct Series {
  std::string name{};
  PlotColor color = PlotColor::blue;
  std::vector<TimeSample> samples{};  // in any order; those that are not finite are left out
};

struct TimePlot {
  std::string title{};
  Unit unit = Unit::count;
  TimeRange range{};  // samples outside are left out; an empty range is that of the samples
  std::chrono::nanoseconds gap = std::chrono::minutes(1);
  TimeText time_text{};  // utc_time_text, if there is none
  std::vector<Series> series{};
};

[[nodiscard]] SafeHtml time_plot(const TimePlot& plot);

}  // namespace tidemill::html
