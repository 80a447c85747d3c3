// WorkerState: what one worker is doing, and what it has done so far.
//
// Only its worker writes; any thread may read at any time, without a lock in the path of a task.
// Counters are atomics with one writer, so counting is a plain load and store. Fields that belong
// together (which task, since when) are read with snapshot(), which retries if the worker has moved
// on to another task in between (a seqlock):
//
//   writer: turn = even           reader: t = turn; even: idle
//           task, beat, …                 task, beat, …
//           turn = odd                    turn == t ? return : retry
//
// Fields are stored with release and read with acquire. An odd turn is stored after its fields, so
// a reader that sees the turn sees the fields; and a field of the next task is stored after the
// even turn before it, so a reader that sees that field no longer finds the odd turn. A snapshot
// can be late, but never mixes two tasks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/engine/pool/gauge.h"
#include "tidemill/engine/pool/histogram.h"
#include "tidemill/engine/pool/interrupt.h"
#include "tidemill/engine/pool/watchdog.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

// The task's note, to follow its id in the log: external data, which the log escapes.
[[nodiscard]] inline std::string named(const std::string& note) {
  return note.empty() ? std::string() : " (" + note + ")";
}

// Time spent in tasks, including the running one. The value read never decreases: one number holds
// both the time and, in its lowest bit, whether it grows. One writer, any number of readers.
//
//   idle:  total × 2          busy:  (total - start) × 2 + 1, so that the total is now + its value
class BusyTime {
 public:
  void starts(Instant now) { store(total_ - now.time_since_epoch().count(), 1); }
  void ends(Instant now) {
    total_ = value(mark_.load(std::memory_order_relaxed)) + now.time_since_epoch().count();
    store(total_, 0);
  }

  [[nodiscard]] std::chrono::nanoseconds total(const Clock& clock) const {
    const std::int64_t mark = mark_.load(std::memory_order_acquire);
    const std::int64_t grown = mark % 2 == 0 ? 0 : clock.now().time_since_epoch().count();
    return std::chrono::nanoseconds(value(mark) + grown);
  }

 private:
  static std::int64_t value(std::int64_t mark) { return mark >> 1; }  // rounds down: drops the bit
  void store(std::int64_t number, std::int64_t works) {
    mark_.store(number * 2 + works, std::memory_order_release);
  }

  std::int64_t total_ = 0;  // the worker's own copy
  std::atomic<std::int64_t> mark_ = 0;
};

// What one worker has done for one type of task.
struct TypeTally {
  Gauge<> completed;
  Gauge<> failed;
  Histogram times;
};

// One writer (its worker), any number of readers.
class alignas(64) WorkerState {
 public:
  WorkerState(std::size_t types, Instant since);

  // For the worker.
  struct Entry {
    TaskId task = 0;
    TaskType type = 0;
    std::optional<Instant> deadline = std::nullopt;
    bool is_nested = false;  // runs in another task, whose interrupt it must not touch
  };
  void begin(const Entry& entry, Instant now);  // a task, or the outer task again
  void end();
  void beat(Instant now) { beat_.store(now.time_since_epoch().count(), std::memory_order_release); }
  void note(std::string_view what);  // for people; readers miss it if one is reading now
  [[nodiscard]] const Entry& entry() const { return entry_; }
  [[nodiscard]] const std::string& own_note() const { return own_note_; }

  // For any thread.
  [[nodiscard]] WorkerSnapshot snapshot() const;
  [[nodiscard]] std::string noted();
  [[nodiscard]] Instant since() const { return since_; }

  std::vector<std::unique_ptr<TypeTally>> tallies;  // one per type; never resized
  Gauge<> retried;
  Gauge<> deferred;
  Gauge<> inline_runs;
  BusyTime busy;
  Interrupt interrupt;

 private:
  Entry entry_;                          // the worker's own copy
  std::string own_note_;                 // the worker's own copy of the note: always set
  std::atomic<std::uint64_t> turn_ = 0;  // odd while a task runs
  std::atomic<Instant::rep> beat_ = 0;
  std::atomic<Instant::rep> deadline_ = 0;  // 0: none
  std::atomic<TaskId> task_ = 0;
  std::atomic<TaskType> type_ = 0;
  Guarded<std::string> note_;
  const Instant since_;
};

}  // namespace tidemill::engine
