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

// A label that begins at x, `width` wide, and the row it goes into.
struct PlacedLabel {
  double x = 0;
  double width = 0;
  int row = 0;
};
// Moves labels that would leave [0, right] and gives those that would overlap a row of their own.
void place_labels(std::span<PlacedLabel> labels, double right);

}  // namespace tidemill::html
