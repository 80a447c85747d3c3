// Seat: what one worker does now and has done so far.
//
// Its worker alone writes; anybody may read at any time, and no lock stands between them on the way
// of a task. Counters are atomics with one writer, so counting is a plain load and store. What
// belongs together (which task, since when) is read with sight(), which looks again when the worker
// has moved on in between:
//
//   writer: turn = even           reader: t = turn; even: idle
//           task, beat, …                 task, beat, …
//           turn = odd                    turn == t ? answer : look again
//
// Fields are stored with release and read with acquire. An odd turn is stored after its fields, so
// whoever sees it sees them; and a field of the next task is stored after the even turn before it,
// so whoever sees that field no longer finds the odd turn. A picture can be late, never mixed.
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

// What follows a task's number in the log: data from outside, which the log escapes.
[[nodiscard]] inline std::string named(const std::string& note) {
  return note.empty() ? std::string() : " (" + note + ")";
}

// Time spent in tasks, the one that runs now included. It never falls, whenever it is read: one
// number says both how much there is and whether it grows (its lowest bit).
//
//   resting:  total × 2          working:  (total - start) × 2 + 1, so that total = now + it
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

// What one worker has done of one type of task.
struct TypeTally {
  Gauge<> completed;
  Gauge<> failed;
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
  [[nodiscard]] const std::string& own_note() const { return own_note_; }

  // Anybody's part.
  [[nodiscard]] WorkerSight sight() const;
  [[nodiscard]] std::string noted();
  [[nodiscard]] Instant since() const { return since_; }

  std::vector<std::unique_ptr<TypeTally>> tallies;  // one a type; fixed from the start
  Gauge<> retried;
  Gauge<> deferred;
  Gauge<> inline_runs;
  BusyTime busy;
  Interrupt interrupt;

 private:
  Entry entry_;                          // the worker's own copy
  std::string own_note_;                 // and of the note: never skipped
  std::atomic<std::uint64_t> turn_ = 0;  // odd while a task runs
  std::atomic<Instant::rep> beat_ = 0;
  std::atomic<Instant::rep> deadline_ = 0;  // 0: none
  std::atomic<TaskId> task_ = 0;
  std::atomic<TaskType> type_ = 0;
  Guarded<std::string> note_;
  const Instant since_;
};

}  // namespace tidemill::engine
