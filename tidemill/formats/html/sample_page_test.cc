// A page with everything on it. To look at it, name a file:
//   TIDEMILL_SAMPLE_PAGE=/tmp/sample.html html_test --gtest_filter='SamplePage.*'
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/html/page.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/plots/histogram.h"
#include "tidemill/formats/html/plots/host_bands.h"
#include "tidemill/formats/html/plots/time_plot.h"
#include "tidemill/formats/html/plots/treemap.h"
#include "tidemill/formats/html/progress_bar.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

using namespace std::chrono_literals;

const WallTime kStart = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 14h + 2min;
const TimeRange kTwoHours = {kStart, kStart + 2h};

// The same noise in every run.
double noise(int seed) { return std::fmod(std::abs(std::sin(seed * 12.9898)) * 43758.5453, 1.0); }

SafeHtml tasks_per_second() {
  Series done{.name = "done", .color = PlotColor::blue, .samples = {}};
  Series failed{.name = "failed", .color = PlotColor::red, .samples = {}};
  for (int i = 0; i < 2000; ++i) {
    const WallTime at = kStart + i * 3600ms;
    if (i > 1500 && i < 1580) continue;  // not running
    const bool is_away = i > 980 && i < 1090;
    const double wave = 620 + 110 * std::sin(i / 180.0) + 60 * noise(i);
    done.samples.push_back({at, is_away ? 260 + 50 * noise(i) : wave});
    failed.samples.push_back({at, is_away ? 60 + 20 * noise(i) : 4 * noise(i + 7)});
  }
  return time_plot({.title = "Tasks per second",
                    .unit = Unit::per_second,
                    .range = kTwoHours,
                    .gap = 30s,
                    .time_text = {},
                    .series = {done, failed}});
}

SafeHtml bytes_per_second() {
  std::vector<Series> series;
  const std::pair<const char*, PlotColor> kinds[] = {
      {"read", PlotColor::blue}, {"written", PlotColor::amber}, {"sent", PlotColor::green}};
  int seed = 0;
  for (const auto& [name, color] : kinds) {
    Series one{.name = name, .color = color, .samples = {}};
    seed += 1000;
    for (int i = 0; i < 240; ++i) {
      one.samples.push_back(
          {kStart + i * 30s, 1e9 * (1 + std::sin(i / 40.0 + seed)) + 2e8 * noise(i + seed)});
    }
    series.push_back(std::move(one));
  }
  return time_plot({.title = "Bytes per second",
                    .unit = Unit::bytes_per_second,
                    .range = kTwoHours,
                    .gap = 2min,
                    .time_text = {},
                    .series = series});
}

SafeHtml busy_workers() {
  Series busy{.name = "busy", .color = PlotColor::blue, .samples = {}};
  for (int i = 0; i < 240; ++i) {
    busy.samples.push_back({kStart + i * 30s, i > 116 && i < 132 ? 8.0 : 24.0});
  }
  return time_plot({.title = "Workers busy",
                    .unit = Unit::count,
                    .range = kTwoHours,
                    .gap = 2min,
                    .time_text = {},
                    .series = {busy}});
}

SafeHtml durations() {
  HistogramPlot plot{.title = "Duration of a task",
                     .unit = Unit::duration,
                     .counted = "tasks",
                     .buckets = {},
                     .marks = {{"p50", 0.031}, {"p95", 0.18}, {"p99", 0.61}}};
  for (int i = 0; i < 40; ++i) {
    const double bell = std::exp(-std::pow((i - 15) / (i < 15 ? 4.0 : 7.0), 2));
    plot.buckets.push_back({.lower = 1e-3 * std::pow(10, i / 10.0),
                            .upper = 1e-3 * std::pow(10, (i + 1) / 10.0),
                            .count = static_cast<std::uint64_t>(1.1e6 * bell)});
  }
  return histogram(plot);
}

SafeHtml hosts(int more) {
  using enum HostState;
  HostPlot plot{.title = "Hosts over time", .range = kTwoHours, .time_text = {}, .hosts = {}};
  plot.hosts = {
      {"desk", {{kStart, kStart + 2h, present}}},
      {"nas",
       {{kStart, kStart + 58min, present},
        {kStart + 58min, kStart + 66min, away},
        {kStart + 66min, kStart + 2h, present}}},
      {"rack-2",
       {{kStart + 9min, kStart + 90min, present}, {kStart + 90min, kStart + 2h, draining}}},
      {"<script>alert(1)</script>", {{kStart + 40min, kStart + 75min, away}}}};
  for (int i = 0; i < more; ++i) {
    plot.hosts.push_back(
        {"host-" + std::to_string(i), {{kStart + i * 1min, kStart + 2h, present}}});
  }
  return host_bands(plot);
}

SafeHtml failures() {
  DataTable table{.caption = "Failures by reason",
                  .is_caption_hidden = true,
                  .columns = {{.title = "tasks", .is_number = true},
                              {.title = "share"},
                              {.title = "reason", .is_header = true},
                              {.title = "for example"},
                              {.title = "first"},
                              {.title = "last"},
                              {.title = "action", .is_title_hidden = true}},
                  .rows = {}};
  const auto add = [&](std::uint64_t count, const char* reason, const char* file) {
    Html link;
    link.element("a", {{"href", "#main"}}, reason);
    Html button;
    button.element("button",
                   {{"type", "button"},
                    {"disabled", true},
                    {"title", "read-only: start with --allow-actions"}},
                   "Retry all");
    const auto tasks = static_cast<double>(count);
    table.rows.push_back({words(text::count_text(count)),
                          share_bar(tasks / 1566, tasks / 1204, PlotColor::red), link.finish(),
                          file_name(file), words("14:03"), words("16:01"), button.finish()});
  };
  add(1204, "exit status 1", "2024/05/IMG_4411.jpg");
  add(311, "timed out after 30s", "2023/video/MOV_0907.mp4");
  add(42, "killed by signal 9", "raw/DSC_9912.nef");
  add(9, "cannot read: Permission denied", "private/\xff<b>\n\xe2\x80\xae.tar");
  return data_table(table);
}

SafeHtml folders() {
  TreemapPlot plot{.title = "Reclaimable space by folder",
                   .unit = Unit::bytes,
                   .labelled = "folder",
                   .items = {}};
  for (int i = 0; i < 150; ++i) {
    plot.items.push_back({"photos/" + std::to_string(2025 - i / 6) + "/album-" + std::to_string(i),
                          4e10 / std::pow(i + 1, 1.1)});
  }
  return treemap(plot);
}

std::string sample_page(PageKind kind) {
  Html body;
  body.add(page_heading("each", "20261116-1402", "running"));
  body.add(progress_bar({.done = 4318220, .skipped = 180004, .failed = 1566, .left = 1500210}));
  const std::vector<PageFact> facts = {{"rate", "612/s"},
                                       {"ETA", "41 min"},
                                       {"elapsed", "2 h 00 min"},
                                       {"workers busy", "24 of 24"},
                                       {"hosts", "3"},
                                       {"taken back", "212"},
                                       {"failure rate", "0.04 %"}};
  body.add(fact_list(facts));
  const std::vector<SafeHtml> boxes = {card("Tasks per second", "", tasks_per_second()),
                                       card("Workers busy", "of 24", busy_workers()),
                                       card("Duration of a task", "logarithmic scale", durations()),
                                       card("Hosts over time", "", hosts(0)),
                                       card("Bytes per second", "", bytes_per_second()),
                                       card("Reclaimable space", "by folder", folders())};
  body.add(cards(boxes));
  body.add(card("Failures by reason", "", failures()));
  body.add(
      card("Command", "",
           command_box("tidemill failures 20261116-1402 retry --reason 'timed out' --timeout 2m")));
  body.add(card("Many hosts", "", hosts(30)));
  return page({.title = "each 20261116-1402 · tidemill",
               .kind = kind,
               .links = {{"Runs", "/runs", true},
                         {"Failures", "/failures"},
                         {"Hosts", "/hosts"},
                         {"Fleet", "/fleet"}},
               .status = words("read-only · updated 2 s ago"),
               .footer = words("Written by tidemill 0.9 at 16:02.")},
              body.finish());
}

TEST(SamplePage, HasEveryPlotAndIsWrittenWhereAsked) {
  const std::string page = sample_page(PageKind::file);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_LT(page.size(), 140'000U);
  if (const char* path = std::getenv("TIDEMILL_SAMPLE_PAGE")) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(path) << page;
  }
}

}  // namespace
}  // namespace tidemill::html
