// Sampler: turns what is observed of a run ten times a second into samples, a bounded number of
// them. When there are too many, neighbours are merged and the interval doubles:
//
//   interval 0.5 s   x x x x x x x x     2,000 samples: the first quarter of an hour
//   interval 1 s     x   x   x   x       and the second
//   interval 2 s     x       x           ...
//
// A merged sample has the counts of the later one and the mean of both for what was busy, so rates
// and loads computed from the samples stay right, only coarser. Samples of different sessions are
// not merged as long as there is anything else to merge.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/flow.h"
#include "tidemill/state/history/history.h"

namespace tidemill::history {

struct Observation {
  engine::FlowCounts counts{};
  std::size_t busy = 0;
  std::size_t places = 0;
  std::size_t waiting = 0;
};

// One host, or the whole run. One thread.
class Sampler {
 public:
  // `series`: with the samples of earlier sessions. Times are `wall` plus what `now` has grown
  // since, so they never go back in a session.
  Sampler(SampleSeries series, std::size_t most, std::uint64_t session, Instant now, WallTime wall);

  void observe(Instant now, const Observation& seen);
  // The last observation becomes a sample, whenever the one before it was taken.
  void finish();

  [[nodiscard]] const SampleSeries& series() const { return series_; }
  [[nodiscard]] bool has_news() const { return told_ < series_.samples.size() || is_merged_; }
  // The samples since the last call; all of them if they were merged since.
  [[nodiscard]] HistoryChange::NewSamples news() const;
  void take_news();  // they are stored

 private:
  void add(Instant now);
  void merge();

  std::size_t most_;
  std::uint64_t session_;
  Instant began_;
  WallTime began_wall_;
  SampleSeries series_;
  std::size_t told_;
  bool is_merged_ = false;

  Observation last_{};
  Instant observed_{};    // the last observation
  Instant sampled_{};     // the last sample
  bool has_any_ = false;  // an observation, and a sample of it
  double busy_time_ = 0;  // sums over the seconds since the last sample
  double waiting_time_ = 0;
};

// Merges neighbours of one session: about half of the samples are left. At least a quarter less in
// any case: if nearly every sample is a session of its own, every second one is dropped.
[[nodiscard]] std::vector<Sample> merged(const std::vector<Sample>& samples);

}  // namespace tidemill::history
