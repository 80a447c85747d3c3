// A treemap: rectangles whose areas are the sizes of what they are labelled with, as square as they
// can be. At most 60; the smallest are one rectangle, "others".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/numbers.h"

namespace tidemill::html {

struct TreemapItem {
  std::string label;  // any bytes
  double size = 0;
};

struct TreemapPlot {
  std::string title{};
  Unit unit = Unit::bytes;
  std::string labelled = "folder";   // what the labels name: the header of their column
  std::vector<TreemapItem> items{};  // those without a size are left out
};

[[nodiscard]] SafeHtml treemap(const TreemapPlot& plot);

// A rectangle of a drawing.
struct Tile {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};
// Divides `whole` by sizes above 0, largest first (Bruls, Huizing, van Wijk: Squarified Treemaps).
[[nodiscard]] std::vector<Tile> squarified(std::span<const double> sizes, const Tile& whole);

}  // namespace tidemill::html
