// ProgressReporter: tells somebody, now and then, how a run is getting on.
//
//   workers ──► atomics ◄── source() ── reporter's thread ── observer(snapshot)
//
// It asks a source for the numbers and hands the observer a snapshot: one at the start, then one
// each interval at most, and one last when finish() is called. Both run on the reporter's own
// thread, so a slow observer (a terminal that is stopped) delays the next snapshot and never a
// worker. Nothing queues up: a snapshot is taken when the observer is ready for it.
//
// The last snapshot is taken after finish() was called, whatever the interval: who calls it when
// the run is over sees exact counts there. An interval that makes no sense and a machine that is
// out of threads are the only failures, both of start(). Out of memory later, the snapshots end and
// the run goes on without them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/flow.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

class Pace;

struct ProgressOptions {
  static constexpr Instant::duration kShortest = std::chrono::milliseconds(100);
  static constexpr Instant::duration kLongest = std::chrono::hours(24);

  Instant::duration interval = kShortest;

  [[nodiscard]] Result<void> check() const;
};

// What is asked of the run for each snapshot.
struct ProgressInputs {
  FlowCounts counts{};
  bool is_total_known = false;         // the source has found all there is
  std::vector<WorkerStats> workers{};  // of all pools of the run
  std::string waits_for{};             // why nothing moves, in plain words; empty: it does
};

// Of a pool: none of its workers has anything to do, though something is left.
[[nodiscard]] std::string waits_of(const PoolStats& stats, bool has_rate);

// A task that runs now.
struct ProgressItem {
  std::string note{};  // what the task said it is at: data from outside, not fit for a terminal
  TaskId id = 0;
  Instant::duration running_for{0};  // since its last sign of life, or its start

  bool operator==(const ProgressItem&) const = default;
};

struct ProgressSnapshot {
  FlowCounts counts{};
  bool is_total_known = false;
  bool is_last = false;
  double items_per_second = 0;  // of late: a mean over about 15 s
  double bytes_per_second = 0;
  std::optional<Instant::duration> eta{};  // never in the last one, nor while it waits
  std::string waits_for{};                 // fit for a terminal
  Instant::duration elapsed{0};            // since the reporter was started
  std::size_t workers = 0;
  std::size_t busy = 0;
  std::uint64_t failures = 0;
  std::vector<ProgressItem> current{};  // one for each busy worker, in the order of the workers
};

// Thread-safe.
class ProgressReporter {
 public:
  // Must not wait for a worker: reads of atomics, Pool::stats().
  using Source = std::function<ProgressInputs()>;
  // May take its time. Must not call finish().
  using Observer = std::function<void(const ProgressSnapshot&)>;

  // Source, observer and what they use, and the clock, must outlive the reporter.
  [[nodiscard]] static Result<std::unique_ptr<ProgressReporter>> start(ProgressOptions options,
                                                                       Source source,
                                                                       Observer observer,
                                                                       const Clock& clock);
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;
  ~ProgressReporter();  // finishes

  // Returns when the observer has had the last snapshot. More calls do nothing.
  void finish();

 private:
  struct Stage {
    bool should_end = false;
    bool has_ended = false;
  };

  ProgressReporter(ProgressOptions options, Source source, Observer observer, const Clock& clock);
  [[nodiscard]] Result<void> start_thread();
  void report();
  [[nodiscard]] ProgressSnapshot look(Instant now, Pace& pace) const;

  const ProgressOptions options_;
  const Source source_;
  const Observer observer_;
  const Clock& clock_;
  const Instant started_;
  Guarded<Stage> stage_;
  std::jthread thread_;  // last: it looks at everything above
};

}  // namespace tidemill::engine
