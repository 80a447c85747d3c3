#include "tidemill/formats/html/plots/host_bands.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "tidemill/formats/html/html_testing.h"

namespace tidemill::html {
namespace {

using namespace std::chrono_literals;
using enum HostState;

const WallTime kStart = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 14h;
const TimeRange kHour = {kStart, kStart + 1h};

std::string banded(std::vector<HostBand> hosts) {
  const SafeHtml html = host_bands({.title = "Hosts", .range = kHour, .hosts = std::move(hosts)});
  EXPECT_EQ(mistake_in(html.str()), "") << html.str();
  return html.str();
}

std::size_t boxes(const std::string& html, const std::string& state) {
  const auto at = html.find("<path class=\"band " + state + "\"");
  return at == std::string::npos ? 0 : occurrences(attribute_of(html.substr(at), "d"), "z");
}

TEST(HostBands, DrawEachStateAndSayWhoWasAway) {
  const std::string html = banded({{"desk", {{kStart, kStart + 1h, present}}},
                                   {"nas",
                                    {{kStart, kStart + 20min, present},
                                     {kStart + 20min, kStart + 40min, away},
                                     {kStart + 40min, kStart + 1h, draining}}}});
  EXPECT_EQ(boxes(html, "present"), 2U);
  EXPECT_EQ(boxes(html, "away"), 1U);
  EXPECT_EQ(boxes(html, "draining"), 1U);
  EXPECT_EQ(attribute_of(html.substr(html.find("role=\"img\"")), "aria-label"),
            "Hosts: 2 hosts from 14:00:00 to 15:00:00; nas away from 14:20:00 to 14:40:00");
  EXPECT_NE(html.find("<th scope=\"row\">nas</th><td class=\"number\">20 min 00 s</td>"),
            std::string::npos);
}

TEST(HostBands, AShortAbsenceIsSeen) {
  const std::string html = banded(
      {{"nas", {{kStart, kStart + 1h, present}, {kStart + 20min, kStart + 20min + 1ms, away}}}});
  EXPECT_EQ(boxes(html, "away"), 1U);
  EXPECT_EQ(boxes(html, "present"), 2U);
}

TEST(HostBands, AnInstantIsSeenToo) {
  EXPECT_EQ(boxes(banded({{"nas", {{kStart, kStart, away}}}}), "away"), 1U);
  EXPECT_EQ(boxes(banded({{"nas", {{kStart + 1h, kStart + 1h, away}}}}), "away"), 1U);
}

TEST(HostBands, At24HostsTheOthersAreCounted) {
  std::vector<HostBand> hosts;
  for (int i = 0; i < 50; ++i) {
    hosts.push_back({"h" + std::to_string(i), {{kStart, kStart + 1h, i == 49 ? away : present}}});
  }
  const std::string html = banded(hosts);
  EXPECT_EQ(boxes(html, "present"), 24U);
  EXPECT_NE(html.find("and 26 hosts more, 1 of them away at some time"), std::string::npos);
  EXPECT_EQ(occurrences(html, "<th scope=\"row\">"), 40U);
  EXPECT_NE(html.find("40 of 50 hosts"), std::string::npos);
}

TEST(HostBands, InvalidAndManySpansStayInTheDrawing) {
  std::vector<HostSpan> flapping;
  for (int i = 0; i < 10'000; ++i) {
    const WallTime at = kStart + i * 360ms;
    flapping.push_back({at, at + 180ms, i % 2 == 0 ? present : away});
  }
  const std::string html =
      banded({{"flapping", flapping},
              {"outside", {{kStart - 2h, kStart - 1h, away}, {kStart + 2h, kStart + 3h, away}}},
              {"reversed", {{kStart + 40min, kStart + 20min, away}}},
              {"wide", {{kStart - 48h, kStart + 48h, draining}}},
              {"none", {}}});
  EXPECT_LT(html.size(), 20'000U);
  EXPECT_EQ(boxes(html, "draining"), 1U);
  EXPECT_EQ(boxes(banded({}), "present"), 0U);
}

}  // namespace
}  // namespace tidemill::html
