#include "tidemill/state/history/attempt_times.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemill::history {
namespace {

// Cutting a list of twice the size costs little for each that is added.
void cut(std::vector<engine::SlowAttempt>& slowest, std::size_t size) {
  std::ranges::sort(slowest, std::greater<>(), &engine::SlowAttempt::took);
  slowest.resize(std::min(slowest.size(), size));
}

}  // namespace

void AttemptTimes::add(engine::SlowAttempt attempt) {
  auto times = times_.lock();
  engine::HistogramSnapshot& histogram = times->by_type[attempt.type];
  ++histogram.counts[engine::HistogramScale::bucket_of(attempt.took)];
  histogram.sum += attempt.took;
  auto& slowest = times->slowest;
  if (slowest.size() >= kMostSlow && attempt.took <= slowest[kMostSlow - 1].took) return;
  slowest.push_back(std::move(attempt));
  if (slowest.size() >= 2 * kMostSlow) cut(slowest, kMostSlow);
}

Timings AttemptTimes::timings() const {
  const auto times = times_.lock();
  Timings all;
  for (const auto& [type, histogram] : times->by_type) {
    all.durations.push_back({.type = type, .times = histogram});
  }
  std::vector<engine::SlowAttempt> slowest = times->slowest;
  cut(slowest, kMostSlow);
  for (engine::SlowAttempt& one : slowest) all.slowest.push_back({std::move(one), {}});
  return all;
}

}  // namespace tidemill::history
