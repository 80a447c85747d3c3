// A histogram on a logarithmic scale, with marks (percentiles) whose labels never overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/numbers.h"

namespace tidemill::html {

// Values from `lower` to `upper`, which may be 0 and infinite.
struct HistogramBucket {
  double lower = 0;
  double upper = 0;
  std::uint64_t count = 0;
};

struct HistogramMark {
  std::string label;  // "p50"
  double value = 0;
};

struct HistogramPlot {
  std::string title{};
  Unit unit = Unit::duration;     // of the values
  std::string counted = "tasks";  // what the buckets count
  // In ascending order, each about the same number of times as wide as the one before.
  std::vector<HistogramBucket> buckets{};
  std::vector<HistogramMark> marks{};
};

[[nodiscard]] SafeHtml histogram(const HistogramPlot& plot);

// A mark at x, and its label, `width` wide, to its right.
struct PlacedLabel {
  double mark = 0;
  double width = 0;
  double x = 0;  // where the label begins
  int row = 0;   // 0 is the lowest
};
// Sets x and row: no label leaves [0, right], overlaps another, or is crossed by the mark of one
// that is further right (a mark goes down from the row of its label).
void place_labels(std::span<PlacedLabel> labels, double right);

}  // namespace tidemill::html
