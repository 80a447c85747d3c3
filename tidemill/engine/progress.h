// ProgressReporter: reports the progress of a run at intervals.
//
//   workers ──► atomics ◄── source() ── reporter's thread ── observer(snapshot)
//
// It reads the numbers from a source and passes snapshots to the observer: one at the start, then
// at most one per interval, and a last one when finish() is called. Both run on the reporter's own
// thread, so a slow observer (a stopped terminal) delays the next snapshot, but never a worker.
// Nothing queues up: a snapshot is taken when the observer is ready for it.
//
// The last snapshot is taken after the call of finish(), whatever the interval: if the run is over
// by then, its counts are exact. The only failures are an invalid interval and a machine that is
// out of threads, both returned by start(). If memory runs out later, the snapshots end and the run
// continues without them.
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

// What the source returns for each snapshot.
struct ProgressInputs {
  FlowCounts counts{};
  bool is_total_known = false;         // the run has found all its items
  std::vector<WorkerStats> workers{};  // of all pools of the run
  std::size_t waiting = 0;             // tasks that could start, or wait for their next attempt
  std::string waits_for{};             // why nothing progresses, for people; empty: it does
};

// The `waits_for` of a pool: why its workers are idle although tasks are left. Empty if they are
// not.
[[nodiscard]] std::string waits_of(const PoolStats& stats, bool has_rate);

// A running task.
struct ProgressItem {
  std::string note{};  // the task's last note: external data, not safe for a terminal
  TaskId id = 0;
  Instant::duration running_for{0};  // since its last heartbeat, or its start

  bool operator==(const ProgressItem&) const = default;
};

struct ProgressSnapshot {
  FlowCounts counts{};
  bool is_total_known = false;
  bool is_last = false;
  double items_per_second = 0;  // recent: a mean over about 15 s
  double bytes_per_second = 0;
  std::optional<Instant::duration> eta{};  // empty in the last one and while the run waits
  std::string waits_for{};                 // safe for a terminal
  Instant::duration elapsed{0};            // since the reporter was started
  std::size_t workers = 0;
  std::size_t busy = 0;
  std::size_t waiting = 0;
  std::uint64_t failures = 0;
  std::vector<ProgressItem> current{};  // one for each busy worker, in the order of the workers
};

// Thread-safe.
class ProgressReporter {
 public:
  // Must not wait for a worker: read atomics or Pool::stats().
  using Source = std::function<ProgressInputs()>;
  // May be slow. Must not call finish().
  using Observer = std::function<void(const ProgressSnapshot&)>;

  // The clock, and everything that source and observer use, must outlive the reporter.
  [[nodiscard]] static Result<std::unique_ptr<ProgressReporter>> start(ProgressOptions options,
                                                                       Source source,
                                                                       Observer observer,
                                                                       const Clock& clock);
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;
  ~ProgressReporter();  // finishes

  // Returns after the observer has had the last snapshot. Further calls do nothing.
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
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace tidemill::engine
