#include "tidemill/formats/html/plots/time_plot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tidemill/formats/html/plots/amount_axis.h"

namespace tidemill::html {
namespace {

using std::chrono::seconds;

constexpr PlotRows kRows = {.top = 10, .bottom = 140};
constexpr double kHeight = 166;
constexpr std::size_t kMostPoints = 400;     // of a series
constexpr std::size_t kMostAllPoints = 700;  // of a plot, which bounds its size

struct Line {
  const Series* series = nullptr;
  std::vector<TimeSample> samples;  // cleaned, in the range
  std::vector<LinePoint> points;
};

TimeRange range_of(const TimePlot& plot) {
  if (plot.range.from < plot.range.until) return plot.range;
  TimeRange range = {.from = WallTime::max(), .until = WallTime::min()};
  for (const Series& series : plot.series) {
    for (const TimeSample& sample : series.samples) {
      range = {.from = std::min(range.from, sample.at), .until = std::max(range.until, sample.at)};
    }
  }
  return range.from <= range.until ? range : plot.range;
}

std::vector<Line> lines_of(const TimePlot& plot, const TimeRange& range) {
  std::vector<Line> lines;
  const std::size_t most =
      std::min(kMostPoints, kMostAllPoints / std::max<std::size_t>(plot.series.size(), 1));
  for (const Series& series : plot.series) {
    Line line{.series = &series, .samples = cleaned(series.samples), .points = {}};
    std::erase_if(line.samples, [&](const TimeSample& sample) {
      return sample.at < range.from || sample.at > range.until;
    });
    line.points = decimated(line.samples, plot.gap, most);
    lines.push_back(std::move(line));
  }
  return lines;
}

double highest_of(const std::vector<Line>& lines) {
  double highest = 0;
  for (const Line& line : lines) {
    for (const LinePoint& point : line.points) highest = std::max(highest, point.sample.value);
  }
  return highest;
}

// *Immutable.*
class Drawing final {
 public:
  Drawing(const TimeAxis& axis, const AmountAxis& amounts) : axis_(axis), amounts_(amounts) {}

  [[nodiscard]] SafeHtml of(const std::vector<Line>& lines) const {
    Html html;
    amounts_.draw(html, kRows);
    axis_.draw(html, kRows.top, kRows.bottom);
    if (lines.size() <= 2) {
      for (const Line& line : lines) draw_area(html, line);
    }
    for (const Line& line : lines) draw_line(html, line);
    const bool is_empty =
        std::ranges::all_of(lines, [](auto& line) { return line.points.empty(); });
    if (is_empty) {
      draw_label(html, (amounts_.left() + kPlotRight) / 2, kRows.bottom / 2, LabelAnchor::middle,
                 "no samples");
    }
    return html.finish();
  }

 private:
  [[nodiscard]] double y(double value) const { return amounts_.y(value, kRows); }

  void draw_line(Html& html, const Line& line) const {
    PathData path;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      const auto& [sample, is_start] = line.points[i];
      const bool is_lone = is_start && (i + 1 == line.points.size() || line.points[i + 1].is_start);
      if (is_start) {
        path.move_to(axis_.x(sample.at), y(sample.value));
      } else {
        path.line_to(axis_.x(sample.at), y(sample.value));
      }
      if (is_lone) path.line_to(axis_.x(sample.at) + 0.1, y(sample.value));  // a dot
    }
    draw_path(html, "line ", line, path);
  }

  void draw_area(Html& html, const Line& line) const {
    PathData path;
    double last = 0;
    for (const auto& [sample, is_start] : line.points) {
      const double x = axis_.x(sample.at);
      if (is_start) {
        if (!path.str().empty()) path.line_to(last, kRows.bottom);
        path.move_to(x, kRows.bottom);
      }
      path.line_to(x, y(sample.value));
      last = x;
    }
    if (!path.str().empty()) path.line_to(last, kRows.bottom);
    draw_path(html, "area ", line, path);
  }

  static void draw_path(Html& html, std::string kind, const Line& line, const PathData& path) {
    if (path.str().empty()) return;
    kind += css_class(line.series->color);
    html.element("path", {{"class", kind}, {"d", path.str()}});
  }

  const TimeAxis& axis_;
  const AmountAxis& amounts_;
};

std::string facts_of(const TimePlot& plot, const TimeAxis& axis, const std::vector<Line>& lines) {
  std::string facts = axis.text(axis.range().from) + " to " + axis.text(axis.range().until);
  for (const Line& line : lines) {
    facts += "; " + line.series->name + ": ";
    if (line.samples.empty()) {
      facts += "no samples";
      continue;
    }
    const auto [low, high] = std::ranges::minmax_element(line.samples, {}, &TimeSample::value);
    const double last = line.samples.back().value;
    if (low->value == high->value) {
      facts += amount_text(plot.unit, last) + " throughout";
    } else {
      facts += "last " + amount_text(plot.unit, last) + ", highest " +
               amount_text(plot.unit, high->value) + " at " + axis.text(high->at) + ", lowest " +
               amount_text(plot.unit, low->value) + " at " + axis.text(low->at);
    }
    const auto runs = std::ranges::count_if(line.points, &LinePoint::is_start);
    if (runs > 1) facts += ", " + std::to_string(runs - 1) + (runs > 2 ? " gaps" : " gap");
  }
  return facts;
}

// The value at a time: of the last sample before, if that is not too old.
std::string value_text(const TimePlot& plot, const Line& line, WallTime at) {
  const auto after = std::ranges::upper_bound(line.samples, at, {}, &TimeSample::at);
  if (after == line.samples.begin() || at - std::prev(after)->at > plot.gap) return "–";
  const double value = std::prev(after)->value;
  // Rates of one column are in one unit.
  return plot.unit == Unit::per_second ? axis_text(plot.unit, value)
                                       : amount_text(plot.unit, value);
}

PlotNumbers numbers_of(const TimePlot& plot, const TimeAxis& axis, const std::vector<Line>& lines) {
  std::vector<WallTime> times;
  PlotNumbers numbers{.note = {}, .columns = {"time"}, .rows = {}};
  for (const Line& line : lines) {
    numbers.columns.push_back(line.series->name);
    for (const TimeSample& sample : line.samples) times.push_back(sample.at);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  const auto chosen = evenly(times.size(), kMostRows);
  numbers.note = extent_text(chosen.size(), times.size(), "samples");
  if (chosen.size() < times.size()) numbers.note += ", evenly spaced";
  if (chosen.empty()) return numbers;
  const auto step = std::chrono::floor<seconds>((times.back() - times.front()) /
                                                static_cast<std::int64_t>(chosen.size()));
  for (const std::size_t index : chosen) {
    auto& row = numbers.rows.emplace_back();
    row.push_back(axis.text(times[index], step));
    for (const Line& line : lines) row.push_back(value_text(plot, line, times[index]));
  }
  return numbers;
}

}  // namespace

SafeHtml time_plot(const TimePlot& plot) {
  const TimeRange range = range_of(plot);
  const std::vector<Line> lines = lines_of(plot, range);
  const AmountAxis amounts(plot.unit, highest_of(lines));
  const TimeAxis axis(range, plot.time_text, amounts.left(), kPlotRight);
  PlotFigure figure{.title = plot.title,
                    .facts = facts_of(plot, axis, lines),
                    .height = kHeight,
                    .drawing = Drawing(axis, amounts).of(lines),
                    .keys = {},
                    .caption = {},
                    .numbers = numbers_of(plot, axis, lines)};
  for (const Series& series : plot.series) {
    figure.keys.push_back({.css_class = "line " + std::string(css_class(series.color)),
                           .text = series.name,
                           .is_line = true});
  }
  return plot_figure(figure);
}

}  // namespace tidemill::html
