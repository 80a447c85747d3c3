// HistoryRecorder: keeps the history of a run while a process works on it. It observes the
// snapshots of a ProgressReporter, and writes what is new every five seconds (later, when samples
// are further apart, as rarely as those) and at the end.
//
//   ProgressReporter ──► observe() ──► Sampler ──┐ every 5 s
//                                 timings() ─────┴──────────► Store::keep()
//
// A history is a statistic, so a failure does not stop the run: what could not be written is tried
// again with the next write. If the earlier history cannot be read, nothing is kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/pool_stats.h"
#include "tidemill/engine/progress.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/history/sampler.h"

namespace tidemill::history {

// What this process knows of the durations of its tasks.
struct Timings {
  std::vector<Durations> durations{};
  std::vector<SlowTask> slowest{};
};

// Those of a pool.
[[nodiscard]] Timings timings_of(const engine::PoolStats& stats,
                                 const std::vector<engine::SlowAttempt>& slowest);

// A host of a fleet at this moment. Several workers on one host are one.
struct HostObservation {
  std::string host{};
  std::size_t busy = 0;
  std::size_t places = 0;
};

// One thread, that of the ProgressReporter.
class HistoryRecorder {
 public:
  // Called for each write. Must not wait for a worker.
  using Source = std::function<Timings()>;
  static constexpr std::chrono::seconds kWriteEvery{5};

  // `store`: null keeps nothing. It must outlive the recorder, and so must the clock.
  HistoryRecorder(Store* store, const Clock& clock, Source source = {});

  // Writes everything if the snapshot is the last one.
  void observe(const engine::ProgressSnapshot& snapshot);
  // The same on a fleet, whose places are those of its hosts.
  void observe(const engine::ProgressSnapshot& snapshot, const std::vector<HostObservation>& hosts);

 private:
  void begin();
  void observe_host(Instant now, const HostObservation& host);
  void observe_run(Instant now, const engine::ProgressSnapshot& snapshot, const Observation& seen);
  void write(Instant now);
  void add_timings(HistoryChange& change);
  // begin() has made it.
  Sampler& whole() { return *sampler_; }  // NOLINT(bugprone-unchecked-optional-access)

  Store* store_;
  const Clock& clock_;
  const Source source_;
  std::optional<Sampler> sampler_;
  std::vector<Sampler> hosts_;
  RunSession this_session_{};
  bool has_written_session_ = false;
  RunHistory earlier_;              // what earlier sessions left: its durations and slowest
  std::vector<Durations> written_;  // as of the last write
  std::vector<SlowTask> slow_written_;
  Instant began_{};
  Instant written_at_{};
};

}  // namespace tidemill::history
