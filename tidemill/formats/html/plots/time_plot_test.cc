#include "tidemill/formats/html/plots/time_plot.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tidemill/formats/html/html_testing.h"

namespace tidemill::html {
namespace {

using namespace std::chrono_literals;

const WallTime kNoon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 12h;

std::vector<TimeSample> samples_of(int count, std::chrono::milliseconds step, auto value) {
  std::vector<TimeSample> samples;
  for (int i = 0; i < count; ++i) samples.push_back({kNoon + i * step, value(i)});
  return samples;
}

std::string plotted(std::vector<TimeSample> samples, Unit unit = Unit::count) {
  const SafeHtml html = time_plot({.title = "Plot",
                                   .unit = unit,
                                   .gap = 30s,
                                   .series = {{.name = "a", .samples = std::move(samples)}}});
  EXPECT_EQ(mistake_in(html.str()), "") << html.str();
  return html.str();
}

// The paths of a class.
std::string path_of(const std::string& html, const std::string& css_class) {
  const auto at = html.find("<path class=\"" + css_class + "\"");
  return at == std::string::npos ? "" : attribute_of(html.substr(at), "d");
}

TEST(TimePlot, TwoThousandSamplesTakeLessThan20KB) {
  const auto jagged = [](int i) { return std::fmod(i * 7919.0, 1000); };
  TimePlot plot{.title = "Tasks per second", .unit = Unit::bytes_per_second, .gap = 30s};
  plot.series.push_back({.name = "done", .samples = samples_of(2000, 1s, jagged)});
  EXPECT_LT(time_plot(plot).str().size(), 14'000U);
  plot.series.push_back({.name = "failed", .samples = samples_of(2000, 1s, jagged)});
  EXPECT_LT(time_plot(plot).str().size(), 20'000U);
  for (int i = 0; i < 4; ++i) plot.series.push_back(plot.series.front());
  EXPECT_LT(time_plot(plot).str().size(), 26'000U);
}

TEST(TimePlot, SaysItsFactsInWords) {
  const std::string html = plotted(
      samples_of(121, 1min, [](int i) { return i == 60 ? 900.0 : 100.0 + i; }), Unit::per_second);
  EXPECT_EQ(attribute_of(html, "aria-label"),
            "Plot: 12:00 to 14:00; a: last 220/s, highest 900/s at 13:00, lowest 100/s at 12:00, "
            "120 gaps");
}

TEST(TimePlot, ALineIsInterruptedAtAGap) {
  auto samples = samples_of(20, 10s, [](int) { return 5.0; });
  EXPECT_EQ(occurrences(path_of(plotted(samples), "line blue"), "m"), 1U);
  for (std::size_t i = 10; i < 20; ++i) samples[i].at += 1h;
  const std::string html = plotted(samples);
  EXPECT_EQ(occurrences(path_of(html, "line blue"), "m"), 2U);
  EXPECT_EQ(occurrences(path_of(html, "area blue"), "m"), 2U);
  EXPECT_NE(attribute_of(html, "aria-label").find(", 1 gap"), std::string::npos);
}

TEST(TimePlot, HasNoLineWithoutSamples) {
  const std::string html = plotted({});
  EXPECT_EQ(path_of(html, "line blue"), "");
  EXPECT_NE(html.find(">no samples<"), std::string::npos);
  EXPECT_EQ(html.find("<details"), std::string::npos);
  EXPECT_EQ(mistake_in(time_plot({}).str()), "");
}

TEST(TimePlot, OneSampleIsADot) {
  const std::string html = plotted({{kNoon, 5}});
  EXPECT_EQ(path_of(html, "line blue").substr(path_of(html, "line blue").find('l')), "l0.1 0");
  EXPECT_NE(attribute_of(html, "aria-label").find("a: 5 throughout"), std::string::npos);
}

TEST(TimePlot, ZerosAreALineAtTheBottom) {
  const std::string html = plotted(samples_of(3, 10s, [](int) { return 0.0; }));
  EXPECT_EQ(path_of(html, "line blue").substr(path_of(html, "line blue").find(' ')).substr(0, 5),
            " 140l");
}

TEST(TimePlot, HugeAndInvalidNumbersStayInTheDrawing) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1e300, std::nan(""), infinite, -infinite, -4, 1e-300, 5};
  const std::string html =
      plotted(samples_of(7, 1s, [&](int i) { return values[static_cast<std::size_t>(i)]; }));
  EXPECT_EQ(occurrences(path_of(html, "line blue"), "l"), 3U);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_EQ(html.find("inf"), std::string::npos);
  EXPECT_NE(path_of(html, "line blue").find(" 10l"), std::string::npos);  // at the top, not above
}

TEST(TimePlot, TheTableHasAtMost40RowsAndSaysSo) {
  const std::string html = plotted(samples_of(2000, 1s, [](int i) { return i * 1.0; }));
  EXPECT_EQ(occurrences(html, "<th scope=\"row\">"), 40U);
  EXPECT_NE(html.find("40 of 2,000 samples, evenly spaced"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">12:00:00</th><td class=\"number\">0</td>"),
            std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">1,999</td>"), std::string::npos);
  EXPECT_NE(plotted(samples_of(12, 1s, [](int) { return 1.0; })).find("Plot: 12 samples<"),
            std::string::npos);
}

TEST(TimePlot, ASeriesWithoutAValueAtATimeHasADashInTheTable) {
  const std::string html =
      time_plot({.title = "Plot",
                 .gap = 30s,
                 .series = {{.name = "a", .samples = {{kNoon, 1}, {kNoon + 1h, 2}}},
                            {.name = "b", .samples = {{kNoon + 1h, 3}}}}})
          .str();
  EXPECT_NE(html.find("<td class=\"number\">1</td><td class=\"number\">–</td>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">2</td><td class=\"number\">3</td>"), std::string::npos);
}

TEST(TimePlot, SamplesOutsideTheRangeAreLeftOut) {
  const std::string html =
      time_plot({.title = "Plot",
                 .range = {kNoon, kNoon + 1h},
                 .series = {{.name = "a",
                             .samples = {{kNoon - 1h, 7000}, {kNoon, 1}, {kNoon + 2h, 7000}}}}})
          .str();
  EXPECT_EQ(html.find("7,000"), std::string::npos);
  EXPECT_EQ(html.find("7 k"), std::string::npos);
}

TEST(TimeAxis, TicksAreRoundAndApart) {
  for (const auto span : {2s, 45s, 600s, 7200s, 86400s, 3 * 86400s, 40 * 86400s, 4000 * 86400s}) {
    Html html;
    TimeAxis({kNoon + 7s, kNoon + 7s + span}, {}, 40, 474).draw(html, 0, 100);
    const std::string drawn = html.finish().str();
    EXPECT_GE(occurrences(drawn, "<text"), 1U) << span.count();
    EXPECT_LE(occurrences(drawn, "<text"), 7U) << drawn;
  }
}

TEST(TimeAxis, ALongRangeNamesTheDates) {
  const TimeAxis day({kNoon, kNoon + 2h}, {}, 0, 100);
  EXPECT_EQ(day.text(kNoon, 60s), "12:00");
  EXPECT_EQ(day.text(kNoon, 59s), "12:00:00");
  const TimeAxis week({kNoon, kNoon + 24h * 7}, {}, 0, 100);
  EXPECT_EQ(week.text(kNoon, 60s), "16 Nov 12:00");
  EXPECT_EQ(week.text(kNoon, 24h), "16 Nov");
}

}  // namespace
}  // namespace tidemill::html
