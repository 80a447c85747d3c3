#include "tidemill/formats/html/plots/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tidemill/formats/html/plots/amount_axis.h"
#include "tidemill/formats/html/plots/figure.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr double kPlotHeight = 110;
constexpr std::size_t kMostBars = 60;

// Without empty buckets at both ends, with bounds that have a logarithm, and no more than can be
// drawn: neighbours are merged.
std::vector<HistogramBucket> drawable(const HistogramPlot& plot) {
  std::vector<HistogramBucket> buckets;
  double least = 0;
  for (const HistogramBucket& bucket : plot.buckets) {
    if (std::isnan(bucket.lower) || !(bucket.upper > std::max(bucket.lower, 0.0))) continue;
    buckets.push_back(bucket);
    const double bound = bucket.lower > 0 ? bucket.lower : bucket.upper / 2;
    if (std::isfinite(bound)) least = least == 0 ? bound : std::min(least, bound);
  }
  while (!buckets.empty() && buckets.back().count == 0) buckets.pop_back();
  const auto first = std::ranges::find_if(buckets, [](const auto& b) { return b.count > 0; });
  buckets.erase(buckets.begin(), first);
  for (HistogramBucket& bucket : buckets) {
    if (bucket.lower <= 0) bucket.lower = std::min(std::max(least, 1e-9), bucket.upper / 2);
    bucket.lower = std::clamp(bucket.lower, 1e-9, 1e18);
    if (std::isinf(bucket.upper)) bucket.upper = bucket.lower * 2;
    bucket.upper = std::clamp(bucket.upper, bucket.lower * 1.000001, 1e19);
  }
  const std::size_t group = (buckets.size() + kMostBars - 1) / kMostBars;
  std::vector<HistogramBucket> bars;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (i % group == 0) {
      bars.push_back(buckets[i]);
    } else {
      bars.back().upper = buckets[i].upper;
      bars.back().count += buckets[i].count;
    }
  }
  return bars;
}

std::vector<double> round_values(Unit unit) {
  if (unit == Unit::duration) {
    return {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,  1e-2,  0.1,
            1,    10,   60,   600,  3600, 36e3, 864e2, 864e3, 864e4};
  }
  std::vector<double> values;
  for (double value = 1; value < 1e18; value *= 10) values.push_back(value);
  return values;
}

double highest_of(const std::vector<HistogramBucket>& bars) {
  std::uint64_t highest = 0;
  for (const HistogramBucket& bar : bars) highest = std::max(highest, bar.count);
  return static_cast<double>(highest);
}

// *Immutable.*
class HistogramDrawing final {
 public:
  HistogramDrawing(const HistogramPlot& plot, const std::vector<HistogramBucket>& bars)
      : plot_(plot), bars_(bars), counts_(Unit::count, highest_of(bars)) {
    if (bars.empty()) return;
    low_ = std::log10(bars.front().lower);
    high_ = std::max(std::log10(bars.back().upper), low_ + 0.1);
    place_marks();
  }

  [[nodiscard]] double height() const { return rows_.bottom + kLabelHeight + 6; }

  [[nodiscard]] SafeHtml draw() const {
    Html html;
    counts_.draw(html, rows_);
    PathData bars;
    for (const HistogramBucket& bar : bars_) {
      if (bar.count == 0) continue;
      const double x1 = x(bar.lower) + 0.5;
      const double x2 = std::max(x(bar.upper) - 0.5, x1 + 0.5);
      const double top =
          std::min(counts_.y(static_cast<double>(bar.count), rows_), rows_.bottom - 0.8);
      bars.box(x1, top, x2 - x1, rows_.bottom - top);
    }
    if (!bars.str().empty()) html.element("path", {{"class", "fill blue"}, {"d", bars.str()}});
    draw_ticks(html);
    draw_marks(html);
    if (bars_.empty()) {
      const double middle = (counts_.left() + kPlotRight) / 2;
      draw_label(html, middle, (rows_.top + rows_.bottom) / 2, LabelAnchor::middle, "no values");
    }
    return html.finish();
  }

 private:
  [[nodiscard]] double x(double value) const {
    const double part = (std::log10(std::max(value, 1e-12)) - low_) / (high_ - low_);
    return counts_.left() + std::clamp(part, 0.0, 1.0) * (kPlotRight - counts_.left());
  }

  void place_marks() {
    for (const HistogramMark& mark : plot_.marks) {
      if (!std::isfinite(mark.value) || mark.value < 0) continue;
      marks_.push_back(mark.label + " " + amount_text(plot_.unit, mark.value));
      labels_.push_back({.mark = x(mark.value), .width = label_width(marks_.back())});
    }
    place_labels(labels_, kPlotWidth);
    int rows = 0;
    for (const PlacedLabel& label : labels_) rows = std::max(rows, label.row + 1);
    rows_.top += rows * kLabelHeight;
    rows_.bottom = rows_.top + kPlotHeight;
  }

  void draw_ticks(Html& html) const {
    if (bars_.empty()) return;
    double free_from = 0;
    for (const double value : round_values(plot_.unit)) {
      if (value < std::pow(10, low_) * 0.999 || value > std::pow(10, high_) * 1.001) continue;
      const std::string text = axis_text(plot_.unit, value);
      const double half = label_width(text) / 2;
      if (x(value) - half < free_from) continue;
      draw_label_within(html, x(value), rows_.bottom + kLabelHeight, text);
      free_from = x(value) + half + 14;
    }
    if (free_from == 0) {  // less than one power of ten
      draw_label(html, counts_.left(), rows_.bottom + kLabelHeight, LabelAnchor::start,
                 amount_text(plot_.unit, bars_.front().lower));
      draw_label(html, kPlotRight, rows_.bottom + kLabelHeight, LabelAnchor::end,
                 amount_text(plot_.unit, bars_.back().upper));
    }
  }

  void draw_marks(Html& html) const {
    if (labels_.empty()) return;
    const auto y = [&](const PlacedLabel& label) {
      return rows_.top - 8 - label.row * kLabelHeight;
    };
    PathData lines;
    for (const PlacedLabel& label : labels_) {
      lines.move_to(label.mark, y(label) - 11);
      lines.line_to(label.mark, rows_.bottom);
    }
    html.element("path", {{"class", "mark"}, {"d", lines.str()}});
    html.element("g", {{"class", "name"}}, [&] {
      for (std::size_t i = 0; i < labels_.size(); ++i) {
        draw_label(html, labels_[i].x, y(labels_[i]), LabelAnchor::start, marks_[i]);
      }
    });
  }

  const HistogramPlot& plot_;
  const std::vector<HistogramBucket>& bars_;
  AmountAxis counts_;
  PlotRows rows_ = {.top = 10, .bottom = 10 + kPlotHeight};
  double low_ = 0;  // powers of ten
  double high_ = 1;
  std::vector<std::string> marks_;
  std::vector<PlacedLabel> labels_;
};

std::uint64_t total_of(const std::vector<HistogramBucket>& bars) {
  std::uint64_t total = 0;
  for (const HistogramBucket& bar : bars) total += bar.count;
  return total;
}

std::string facts_of_histogram(const HistogramPlot& plot,
                               const std::vector<HistogramBucket>& bars) {
  if (bars.empty()) return "no values";
  std::string facts = text::count_text(total_of(bars)) + " " + plot.counted + " from " +
                      amount_text(plot.unit, bars.front().lower) + " to " +
                      amount_text(plot.unit, bars.back().upper);
  for (const HistogramMark& mark : plot.marks) {
    facts += ", " + mark.label + " " + amount_text(plot.unit, mark.value);
  }
  return facts;
}

PlotNumbers numbers_of_histogram(const HistogramPlot& plot,
                                 const std::vector<HistogramBucket>& bars) {
  PlotNumbers numbers{.note = {}, .columns = {"from", "to", plot.counted}, .rows = {}};
  const std::size_t group = (bars.size() + kMostRows - 1) / kMostRows;
  std::size_t at = 0;
  while (at < bars.size()) {
    const std::size_t end = std::min(at + group, bars.size());
    std::uint64_t count = 0;
    for (std::size_t i = at; i < end; ++i) count += bars[i].count;
    // amount_text rounds to milliseconds, where neighbours would read the same.
    numbers.rows.push_back({axis_text(plot.unit, bars[at].lower),
                            axis_text(plot.unit, bars[end - 1].upper), text::count_text(count)});
    at = end;
  }
  numbers.note = text::count_text(numbers.rows.size()) + " ranges";
  if (bars.size() < plot.buckets.size() && group > 1) numbers.note += ", neighbours merged";
  return numbers;
}

}  // namespace

void place_labels(std::span<PlacedLabel> labels, double right) {
  constexpr double kGap = 4;
  std::vector<PlacedLabel*> placed;
  for (PlacedLabel& label : labels) placed.push_back(&label);
  std::ranges::sort(placed, [](const PlacedLabel* a, const PlacedLabel* b) {
    return a->mark != b->mark ? a->mark > b->mark : a < b;  // from the right
  });
  for (auto it = placed.begin(); it != placed.end(); ++it) {
    PlacedLabel& label = **it;
    label.x = std::max(0.0, std::min(label.mark + kGap, right - label.width));
    label.row = 0;
    const double end = label.x + label.width;
    const auto is_in_the_way = [&](const PlacedLabel* other) {
      const bool overlaps = other->row == label.row && other->x < end + kGap &&
                            label.x < other->x + other->width + kGap;
      const bool crosses = other->row >= label.row && label.x < other->mark && other->mark < end;
      return overlaps || crosses;
    };
    while (std::any_of(placed.begin(), it, is_in_the_way)) ++label.row;
  }
}

SafeHtml histogram(const HistogramPlot& plot) {
  const std::vector<HistogramBucket> bars = drawable(plot);
  const HistogramDrawing drawing(plot, bars);
  return plot_figure({.title = plot.title,
                      .facts = facts_of_histogram(plot, bars),
                      .height = drawing.height(),
                      .drawing = drawing.draw(),
                      .keys = {},
                      .caption = {},
                      .numbers = numbers_of_histogram(plot, bars)});
}

}  // namespace tidemill::html
