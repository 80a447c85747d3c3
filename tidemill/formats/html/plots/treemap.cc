#include "tidemill/formats/html/plots/treemap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "tidemill/formats/html/plots/figure.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr std::size_t kMostTiles = 60;
constexpr double kMapHeight = 240;
constexpr double kMostSize = 1e18;

struct SizedLabel {
  std::string label;  // printable
  double size = 0;
  bool is_rest = false;
};

std::vector<SizedLabel> largest_first(const TreemapPlot& plot) {
  std::vector<SizedLabel> items;
  for (const TreemapItem& item : plot.items) {
    if (!std::isfinite(item.size) || item.size <= 0) continue;
    items.push_back({.label = text::printable(item.label), .size = std::min(item.size, kMostSize)});
  }
  std::ranges::sort(items, [](const SizedLabel& a, const SizedLabel& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  });
  return items;
}

double sum_of(std::span<const SizedLabel> items) {
  return std::accumulate(items.begin(), items.end(), 0.0,
                         [](double sum, const SizedLabel& item) { return sum + item.size; });
}

// The items as they are drawn. "others" is the last one, also where it is larger than some.
std::vector<SizedLabel> with_rest(std::vector<SizedLabel> items) {
  if (items.size() <= kMostTiles) return items;
  const auto rest = std::span(items).subspan(kMostTiles - 1);
  SizedLabel others{
      .label = text::count_text(rest.size()) + " others", .size = sum_of(rest), .is_rest = true};
  items.resize(kMostTiles - 1);
  items.push_back(std::move(others));
  return items;
}

// The ratio of the longer to the shorter side of the worst tile in a row of this area.
double worst_ratio(double smallest, double largest, double sum, double side) {
  const double square = sum / side * (sum / side);
  return std::max(largest / square, square / smallest);
}

void draw_tile(Html& html, const TreemapPlot& plot, const SizedLabel& item, const Tile& tile) {
  const std::string amount = amount_text(plot.unit, item.size);
  html.element("g", {{"class", "name"}}, [&] {
    html.element("title", {}, item.label + ": " + amount);
    html.element("rect", {{"class", item.is_rest ? "tile rest" : "tile"},
                          {"x", tile.x},
                          {"y", tile.y},
                          {"width", tile.width},
                          {"height", tile.height}});
    constexpr double kEdge = 5;
    const double room = tile.width - 2 * kEdge;
    const auto columns = static_cast<std::size_t>(std::max(room, 0.0) / label_width("0"));
    if (columns < 8 || tile.height < kLabelHeight + 2) return;
    const double x = tile.x + kEdge;
    draw_label(html, x, tile.y + kLabelHeight - 1, LabelAnchor::start,
               text::fit(item.label, columns));
    if (tile.height >= 2 * kLabelHeight + 2 && label_width(amount) <= room) {
      html.element("text", {{"class", "quiet"}, {"x", x}, {"y", tile.y + 2 * kLabelHeight - 2}},
                   amount);
    }
  });
}

std::string facts_of_sizes(const TreemapPlot& plot, std::span<const SizedLabel> items) {
  if (items.empty()) return "nothing to show";
  std::string facts =
      amount_text(plot.unit, sum_of(items)) + " in " + text::count_text(items.size()) + " parts";
  for (const SizedLabel& item : items.first(std::min<std::size_t>(items.size(), 3))) {
    facts += (&item == items.data() ? "; largest " : ", ") + item.label + " " +
             amount_text(plot.unit, item.size);
  }
  return facts;
}

PlotNumbers numbers_of_sizes(const TreemapPlot& plot, std::span<const SizedLabel> items) {
  PlotNumbers numbers{.note = {}, .columns = {plot.labelled, "size", "share"}, .rows = {}};
  const std::size_t rows = std::min(items.size(), kMostRows);
  const double sum = sum_of(items);
  for (const SizedLabel& item : items.first(rows)) {
    std::string share;
    append_tenths(share, tenths(100 * item.size / sum));
    numbers.rows.push_back({item.label, amount_text(plot.unit, item.size), share + " %"});
  }
  numbers.note = rows < items.size() ? "the largest " : "";
  numbers.note += extent_text(rows, items.size(), "parts");
  return numbers;
}

}  // namespace

std::vector<Tile> squarified(std::span<const double> sizes, const Tile& whole) {
  std::vector<Tile> tiles;
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (!(sum > 0)) return tiles;
  const double scale = whole.width * whole.height / sum;
  Tile rest = whole;
  for (std::size_t begin = 0, end = 0; begin < sizes.size(); begin = end) {
    const double side = std::min(rest.width, rest.height);
    double row = 0;
    double worst = 0;
    double least = sizes[begin] * scale;
    double most = least;
    for (end = begin; end < sizes.size(); ++end) {  // as long as the row becomes more square
      const double area = sizes[end] * scale;
      const double ratio =
          worst_ratio(std::min(least, area), std::max(most, area), row + area, side);
      if (end > begin && ratio > worst) break;
      least = std::min(least, area);
      most = std::max(most, area);
      worst = ratio;
      row += area;
    }
    const bool is_column = rest.width >= rest.height;  // along the shorter side
    const double thickness =
        end == sizes.size() ? (is_column ? rest.width : rest.height) : row / side;
    double at = is_column ? rest.y : rest.x;
    for (std::size_t i = begin; i < end; ++i) {
      const double length = side * (sizes[i] * scale / row);
      tiles.push_back(is_column ? Tile{.x = rest.x, .y = at, .width = thickness, .height = length}
                                : Tile{.x = at, .y = rest.y, .width = length, .height = thickness});
      at += length;
    }
    (is_column ? rest.x : rest.y) += thickness;
    (is_column ? rest.width : rest.height) -= thickness;
  }
  return tiles;
}

SafeHtml treemap(const TreemapPlot& plot) {
  const std::vector<SizedLabel> items = largest_first(plot);
  const std::vector<SizedLabel> drawn = with_rest(items);
  std::vector<double> sizes;
  for (const SizedLabel& item : drawn) sizes.push_back(item.size);
  const auto tiles = squarified(sizes, {.width = kPlotWidth, .height = kMapHeight});
  Html html;
  for (std::size_t i = 0; i < tiles.size(); ++i) draw_tile(html, plot, drawn[i], tiles[i]);
  if (tiles.empty()) {
    draw_label(html, kPlotWidth / 2, kMapHeight / 2, LabelAnchor::middle, "nothing to show");
  }
  return plot_figure({.title = plot.title,
                      .facts = facts_of_sizes(plot, items),
                      .height = kMapHeight,
                      .drawing = html.finish(),
                      .keys = {},
                      .caption = {},
                      .numbers = numbers_of_sizes(plot, items)});
}

}  // namespace tidemill::html
