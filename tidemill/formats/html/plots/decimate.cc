#include "tidemill/formats/html/plots/decimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemill::html {
namespace {

// Two points for each part.
std::size_t part_of(const TimeSample& sample, WallTime first, double length, std::size_t parts) {
  const double since = std::chrono::duration<double>(sample.at - first).count();
  return std::min(parts - 1, static_cast<std::size_t>(since / length * static_cast<double>(parts)));
}

std::vector<LinePoint> extremes(std::span<const TimeSample> samples, std::size_t parts) {
  std::vector<LinePoint> points;
  const WallTime first = samples.front().at;
  const double length = std::chrono::duration<double>(samples.back().at - first).count();
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    const std::size_t part = part_of(samples[begin], first, length, parts);
    while (end < samples.size() && part_of(samples[end], first, length, parts) == part) ++end;
    const auto [low, high] =
        std::ranges::minmax_element(samples.subspan(begin, end - begin), {}, &TimeSample::value);
    points.push_back({.sample = *std::min(low, high)});
    if (low->value != high->value) points.push_back({.sample = *std::max(low, high)});
  }
  return points;
}

}  // namespace

std::vector<TimeSample> cleaned(std::span<const TimeSample> samples) {
  std::vector<TimeSample> kept;
  for (const TimeSample& sample : samples) {
    if (std::isfinite(sample.value)) kept.push_back({sample.at, std::max(sample.value, 0.0)});
  }
  std::ranges::sort(kept, {}, [](const TimeSample& it) { return std::pair(it.at, it.value); });
  return kept;
}

std::vector<LinePoint> decimated(std::span<const TimeSample> samples, std::chrono::nanoseconds gap,
                                 std::size_t most) {
  std::vector<LinePoint> points;
  if (samples.empty()) return points;
  const std::size_t parts = std::max<std::size_t>(most / 2, 1);
  if (samples.size() <= most || samples.front().at == samples.back().at) {
    for (const TimeSample& sample : samples.first(std::min(most, samples.size()))) {
      points.push_back({.sample = sample});
    }
  } else {
    points = extremes(samples, parts);
    // A gap longer than a part has its end at the first sample of a part.
    gap = std::max(gap, std::chrono::nanoseconds((samples.back().at - samples.front().at) /
                                                 static_cast<std::int64_t>(parts)));
  }
  std::size_t next = 0;  // the first point that is not behind a known sample
  for (std::size_t i = 0; i < samples.size() && next < points.size(); ++i) {
    const bool is_behind_gap = i == 0 || samples[i].at - samples[i - 1].at > gap;
    while (next < points.size() && points[next].sample.at < samples[i].at) ++next;
    if (is_behind_gap && next < points.size()) points[next].is_start = true;
  }
  return points;
}

}  // namespace tidemill::html
