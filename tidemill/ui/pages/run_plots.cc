#include "tidemill/ui/pages/run_plots.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/plots/histogram.h"
#include "tidemill/formats/html/plots/host_bands.h"
#include "tidemill/formats/html/plots/time_plot.h"
#include "tidemill/ui/pages/local_time.h"

namespace tidemill::pages {
namespace {

using history::Durations;
using history::Sample;
using html::PlotColor;
using html::SafeHtml;
using html::Series;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

constexpr int kMissing = 4;  // so many samples are missing where nobody worked on the run

html::TimeRange range_of(const RunView& view) {
  return {.from = view.first_time(), .until = view.last_time()};
}

// Where samples are further apart, no process worked on the run.
std::chrono::nanoseconds gap_of(const RunView& view) {
  std::chrono::milliseconds interval{500};
  for (const auto& series : view.history.series) {
    if (series.host.empty()) interval = series.interval;
  }
  return kMissing * interval;
}

// The growth of a cumulative count between the samples of a session.
Series rates(const RunView& view, std::string name, PlotColor color,
             const std::function<std::uint64_t(const Sample&)>& count_of) {
  Series series{.name = std::move(name), .color = color};
  const auto& all = view.samples();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double passed = seconds(all[i].at - all[i - 1].at);
    if (all[i].session != all[i - 1].session || passed <= 0) continue;
    const double now = static_cast<double>(count_of(all[i]));
    const double before = static_cast<double>(count_of(all[i - 1]));
    series.samples.push_back({all[i].at, std::max(0.0, now - before) / passed});
  }
  return series;
}

Series levels(const RunView& view, std::string name, PlotColor color,
              const std::function<double(const Sample&)>& level_of) {
  Series series{.name = std::move(name), .color = color};
  for (const Sample& one : view.samples()) series.samples.push_back({one.at, level_of(one)});
  return series;
}

SafeHtml rate_plot(const RunView& view) {
  return html::time_plot(
      {.title = "Tasks per second",
       .unit = html::Unit::per_second,
       .range = range_of(view),
       .gap = gap_of(view),
       .time_text = local_time_text,
       .series = {
           rates(view, "done or skipped", PlotColor::blue,
                 [](const Sample& one) { return one.done + one.skipped; }),
           rates(view, "failed", PlotColor::red, [](const Sample& one) { return one.failed; })}});
}

SafeHtml busy_plot(const RunView& view) {
  return html::time_plot(
      {.title = "Workers busy",
       .unit = html::Unit::count,
       .range = range_of(view),
       .gap = gap_of(view),
       .time_text = local_time_text,
       .series = {
           levels(view, "workers", PlotColor::grey,
                  [](const Sample& one) { return static_cast<double>(one.places); }),
           levels(view, "busy", PlotColor::blue, [](const Sample& one) { return one.busy; })}});
}

SafeHtml byte_plot(const RunView& view) {
  return html::time_plot({.title = "Bytes per second",
                          .unit = html::Unit::bytes_per_second,
                          .range = range_of(view),
                          .gap = gap_of(view),
                          .time_text = local_time_text,
                          .series = {rates(view, "read", PlotColor::green,
                                           [](const Sample& one) { return one.bytes; })}});
}

// Half an octave each, from the first to the last that counts anything.
std::vector<html::HistogramBucket> buckets_of(const engine::HistogramSnapshot& times) {
  using Scale = engine::HistogramScale;
  std::vector<html::HistogramBucket> all;
  for (std::size_t i = 0; i + 1 < Scale::kBuckets; i += i == 0 ? 1 : 2) {
    const bool is_pair = i > 0;
    all.push_back({.lower = seconds(Scale::lower(i)),
                   .upper = seconds(Scale::upper(is_pair ? i + 1 : i)),
                   .count = times.counts[i] + (is_pair ? times.counts[i + 1] : 0)});
  }
  if (times.counts.back() > 0) {
    all.push_back({.lower = seconds(Scale::lower(Scale::kBuckets - 1)),
                   .upper = 2 * seconds(Scale::lower(Scale::kBuckets - 1)),
                   .count = times.counts.back()});
  }
  const auto counts = [](const html::HistogramBucket& one) { return one.count > 0; };
  all.erase(std::find_if(all.rbegin(), all.rend(), counts).base(), all.end());
  all.erase(all.begin(), std::ranges::find_if(all, counts));
  return all;
}

SafeHtml duration_plot(const Durations& durations) {
  const auto mark = [&](const char* label, double percent) {
    return html::HistogramMark{.label = label,
                               .value = seconds(durations.times.percentile(percent))};
  };
  return html::histogram({.title = "Duration of an attempt (" + durations.type + ")",
                          .unit = html::Unit::duration,
                          .counted = "attempts",
                          .buckets = buckets_of(durations.times),
                          .marks = {mark("p50", 50), mark("p95", 95), mark("p99", 99)}});
}

// When the host of this series worked on the run.
html::HostBand band_of(std::string host, const history::SampleSeries& series) {
  html::HostBand band{.host = std::move(host)};
  const auto& samples = series.samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& one = samples[i];
    if (i == 0 || samples[i - 1].session != one.session ||
        one.at - samples[i - 1].at > kMissing * series.interval) {
      if (i > 0) {
        band.spans.push_back(
            {.from = samples[i - 1].at, .until = one.at, .state = html::HostState::away});
      }
      band.spans.push_back({.from = one.at, .until = one.at});
    }
    band.spans.back().until = one.at;
  }
  return band;
}

SafeHtml host_plot(const RunView& view) {
  html::HostPlot plot{
      .title = "Hosts over time", .range = range_of(view), .time_text = local_time_text};
  for (const auto& series : view.history.series) {
    if (!series.host.empty()) plot.hosts.push_back(band_of(series.host, series));
  }
  const auto& sessions = view.history.sessions;
  if (plot.hosts.empty() && !sessions.empty()) {
    plot.hosts.push_back(band_of(sessions.back().host, view.history.series.front()));
  }
  return html::host_bands(plot);
}

}  // namespace

std::vector<Durations> durations_by_type(const history::RunHistory& history) {
  std::vector<Durations> all;
  for (const Durations& one : history.durations) {
    const auto same = std::ranges::find(all, one.type, &Durations::type);
    if (same == all.end()) {
      all.push_back({.type = one.type, .times = one.times});
    } else {
      same->times += one.times;
    }
  }
  return all;
}

SafeHtml run_plots(const RunView& view) {
  const auto& samples = view.samples();
  // Two samples are the begin and the end of a run that was over at once.
  const bool has_course = samples.size() > 2;
  const bool has_places =
      std::ranges::any_of(samples, [](const Sample& s) { return s.places > 0; });
  std::vector<SafeHtml> boxes;
  if (has_course) {
    boxes.push_back(html::card("Tasks per second", "failed ones in red", rate_plot(view)));
    if (has_places) boxes.push_back(html::card("Workers busy", "", busy_plot(view)));
  }
  for (const Durations& one : durations_by_type(view.history)) {
    if (one.times.count() == 0) continue;
    boxes.push_back(html::card("Duration of an attempt", one.type, duration_plot(one)));
  }
  if (has_course) {
    boxes.push_back(html::card("Hosts over time", "", host_plot(view)));
    if (samples.back().bytes > 0) {
      boxes.push_back(html::card("Bytes per second", "", byte_plot(view)));
    }
  }
  return boxes.empty() ? SafeHtml() : html::cards(boxes);
}

}  // namespace tidemill::pages
