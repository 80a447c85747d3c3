// Seat: what one worker does now and has done so far.
//
// Its worker alone writes; anybody may read at any time, and no lock stands between them on the way
// of a task. Counters are atomics with one writer, so counting is a plain load and store. What
// belongs together (which task, since when) is read with sight(), which looks again when the worker
// has moved on in between:
//
//   writer: turn = odd            reader: t1 = turn
//           task, beat, …                 task, beat, …        (acquire)
//                                         t1 == turn ? answer : look again
//
// A reader that sees any new field also sees the new turn, because fields are stored with release
// after it: it can be late, never mixed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/engine/histogram.h"
#include "tidemill/engine/interrupt.h"
#include "tidemill/engine/task.h"
#include "tidemill/engine/watchdog.h"

namespace tidemill::engine {

// Counts up by one writer, without a read-modify-write.
class Count {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// What one worker has done of one type of task.
struct TypeTally {
  Count completed;
  Count failed;
  Histogram times;
};

// One writer (its worker), any number of readers.
class alignas(64) Seat {
 public:
  Seat(std::size_t types, Instant since);

  // The worker's part.
  struct Entry {
    TaskId task = 0;
    TaskType type = 0;
    std::optional<Instant> deadline = std::nullopt;
    bool is_inside = false;  // runs inside another task, whose interrupt it must not touch
  };
  void begin(const Entry& entry, Instant now);  // a task, or the outer one again
  void end();
  void beat(Instant now) { beat_.store(now.time_since_epoch().count(), std::memory_order_release); }
  void note(std::string_view what);  // what it is at, for people; skipped if a reader is looking
  [[nodiscard]] const Entry& entry() const { return entry_; }

  // Anybody's part.
  [[nodiscard]] WorkerSight sight() const;
  [[nodiscard]] std::string noted();
  [[nodiscard]] Instant since() const { return since_; }
  [[nodiscard]] Instant started() const { return Instant(Instant::duration(started_.load())); }

  std::vector<std::unique_ptr<TypeTally>> tallies;  // one a type; fixed from the start
  Count retried;
  Count deferred;
  Count inline_runs;
  Count busy;  // nanoseconds in tasks that have ended
  Interrupt interrupt;

 private:
  Entry entry_;                          // the worker's own copy
  std::atomic<std::uint64_t> turn_ = 0;  // odd while a task runs
  std::atomic<Instant::rep> started_ = 0;
  std::atomic<Instant::rep> beat_ = 0;
  std::atomic<Instant::rep> deadline_ = 0;  // 0: none
  std::atomic<TaskId> task_ = 0;
  std::atomic<TaskType> type_ = 0;
  Guarded<std::string> note_;
  const Instant since_;
};

}  // namespace tidemill::engine
