#include "tidemill/formats/html/plots/histogram.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tidemill/formats/html/html_testing.h"

namespace tidemill::html {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string drawn(const HistogramPlot& plot) {
  const SafeHtml html = histogram(plot);
  EXPECT_EQ(mistake_in(html.str()), "") << html.str();
  EXPECT_EQ(html.str().find("nan"), std::string::npos);
  return html.str();
}

std::size_t bars_in(const std::string& html) {
  const auto at = html.find("<path class=\"fill blue\"");
  return at == std::string::npos ? 0 : occurrences(attribute_of(html.substr(at), "d"), "z");
}

TEST(HistogramPlot, SaysItsFactsInWords) {
  const std::string html = drawn({.title = "Duration",
                                  .buckets = {{0.01, 0.02, 5}, {0.02, 0.04, 1000}, {0.04, 0.08, 2}},
                                  .marks = {{"p50", 0.031}, {"p99", 0.05}}});
  EXPECT_EQ(attribute_of(html, "aria-label"),
            "Duration: 1,007 tasks from 10 ms to 80 ms, p50 31 ms, p99 50 ms");
  EXPECT_EQ(bars_in(html), 3U);
  EXPECT_NE(html.find("<th scope=\"row\">20 ms</th><td class=\"number\">40 ms</td>"
                      "<td class=\"number\">1,000</td>"),
            std::string::npos);
}

TEST(HistogramPlot, EmptyBucketsAtTheEndsAreNotDrawn) {
  const std::string html =
      drawn({.buckets = {{0.001, 0.01, 0}, {0.01, 0.1, 3}, {0.1, 1, 0}, {1, 10, 3}, {10, 100, 0}}});
  EXPECT_EQ(bars_in(html), 2U);
  EXPECT_NE(attribute_of(html, "aria-label").find("from 10 ms to 10.0 s"), std::string::npos);
}

TEST(HistogramPlot, WithoutValuesItSaysSo) {
  EXPECT_NE(drawn({}).find(">no values<"), std::string::npos);
  EXPECT_NE(drawn({.buckets = {{1, 2, 0}}}).find(">no values<"), std::string::npos);
  EXPECT_NE(drawn({.buckets = {{std::nan(""), 2, 9}, {5, 5, 9}, {6, 4, 9}}}).find(">no values<"),
            std::string::npos);
}

TEST(HistogramPlot, BoundsMayBeZeroAndInfinite) {
  const std::string html = drawn({.buckets = {{0, 1e-3, 5}, {1e-3, 1e-2, 6}, {1e-2, kInfinite, 7}},
                                  .marks = {{"p50", 0}, {"p99", kInfinite}, {"max", 1e300}}});
  EXPECT_EQ(bars_in(html), 3U);
}

TEST(HistogramPlot, ManyAndHugeBucketsStaySmall) {
  HistogramPlot plot{.unit = Unit::count};
  for (int i = 0; i < 2000; ++i) {
    plot.buckets.push_back({.lower = std::pow(1.01, i),
                            .upper = std::pow(1.01, i + 1),
                            .count = std::numeric_limits<std::uint64_t>::max() / 4000});
  }
  const std::string html = drawn(plot);
  EXPECT_LT(html.size(), 20'000U);
  EXPECT_LE(bars_in(html), 60U);
  EXPECT_LE(occurrences(html, "<th scope=\"row\">"), 40U);
}

RC_GTEST_PROP(HistogramPlot, LabelsOfMarksNeverOverlap, ()) {
  const auto marks = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 480));
  std::vector<PlacedLabel> labels;
  for (const int mark : marks) labels.push_back({.mark = static_cast<double>(mark), .width = 96});
  place_labels(labels, 480);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    RC_ASSERT(labels[i].x >= 0 && labels[i].x + labels[i].width <= 480);
    for (std::size_t j = 0; j < i; ++j) {
      RC_ASSERT(labels[i].row != labels[j].row || labels[i].x + labels[i].width < labels[j].x ||
                labels[j].x + labels[j].width < labels[i].x);
    }
  }
}

TEST(HistogramPlot, ALabelIsAboveTheMarksThatWouldCrossIt) {
  // The first label has room beside the third, but the mark of the second comes down through it.
  std::vector<PlacedLabel> labels = {
      {.mark = 100, .width = 90}, {.mark = 150, .width = 90}, {.mark = 200, .width = 90}};
  place_labels(labels, 480);
  EXPECT_EQ(labels[2].row, 0);
  EXPECT_EQ(labels[1].row, 1);
  EXPECT_EQ(labels[0].row, 2);
}

}  // namespace
}  // namespace tidemill::html
