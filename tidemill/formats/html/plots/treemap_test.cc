#include "tidemill/formats/html/plots/treemap.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tidemill/formats/html/html_testing.h"

namespace tidemill::html {
namespace {

std::string mapped(std::vector<TreemapItem> items) {
  const SafeHtml html = treemap({.title = "Space", .items = std::move(items)});
  EXPECT_EQ(mistake_in(html.str()), "") << html.str();
  return html.str();
}

RC_GTEST_PROP(Treemap, TilesFillTheWholeWithoutOverlaps, ()) {
  auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(1, 1000000), [](int n) { return n * 1.0; })));
  std::ranges::sort(sizes, std::greater{});
  const Tile whole = {.x = 3, .y = 5, .width = 480, .height = 240};
  const auto tiles = squarified(sizes, whole);
  RC_ASSERT(tiles.size() == sizes.size());
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  constexpr double kSlack = 1e-6;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    const double area = 480 * 240 * sizes[i] / sum;
    RC_ASSERT(std::abs(tile.width * tile.height - area) < kSlack * 480 * 240);
    RC_ASSERT(tile.x >= 3 - kSlack && tile.x + tile.width <= 483 + kSlack);
    RC_ASSERT(tile.y >= 5 - kSlack && tile.y + tile.height <= 245 + kSlack);
    for (std::size_t j = 0; j < i; ++j) {
      const Tile& other = tiles[j];
      const bool is_apart =
          tile.x + tile.width <= other.x + kSlack || other.x + other.width <= tile.x + kSlack ||
          tile.y + tile.height <= other.y + kSlack || other.y + other.height <= tile.y + kSlack;
      RC_ASSERT(is_apart);
    }
  }
}

TEST(Treemap, EqualSizesAreSquares) {
  const std::vector<double> sizes(8, 1.0);
  for (const Tile& tile : squarified(sizes, {0, 0, 400, 200})) {
    EXPECT_NEAR(tile.width, 100, 1e-9);
    EXPECT_NEAR(tile.height, 100, 1e-9);
  }
}

TEST(Treemap, TheSmallestAreOthers) {
  std::vector<TreemapItem> items;
  for (int i = 0; i < 200; ++i) items.push_back({"f" + std::to_string(i), 1e9 + i});
  const std::string html = mapped(items);
  EXPECT_EQ(occurrences(html, "<rect"), 60U);
  EXPECT_NE(html.find("<title>141 others: 141 GB</title>"), std::string::npos);
  EXPECT_NE(html.find("the largest 40 of 200 parts"), std::string::npos);
  EXPECT_LT(html.size(), 20'000U);
  EXPECT_EQ(occurrences(mapped({items.begin(), items.begin() + 60}), "others"), 0U);
}

TEST(Treemap, TextIsOnlyWhereItFits) {
  const std::string html = mapped({{"a/long/name/of/a/folder", 1e12}, {"small", 1}});
  EXPECT_EQ(occurrences(html, "<text"), 2U);  // the name and the size of the large one
  EXPECT_EQ(occurrences(html, "<title>"), 2U);
}

TEST(Treemap, SizesThatAreNoneAreLeftOut) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string html =
      mapped({{"a", 0}, {"b", -1}, {"c", std::nan("")}, {"d", infinite}, {"e", 1e300}, {"f", 5}});
  EXPECT_EQ(occurrences(html, "<rect"), 2U);
  EXPECT_NE(mapped({}).find(">nothing to show<"), std::string::npos);
}

}  // namespace
}  // namespace tidemill::html
