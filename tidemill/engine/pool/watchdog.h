// Watchdog: decides which workers are stalled, from snapshots of their state.
//
// A task is stalled when it has sent no heartbeat for `stall_after` (silent), or still runs
// `overdue_grace` after its deadline (overdue). Each stall is reported once when it begins and once
// when it is over:
//
//                 no beat for stall_after               the same task beats again, or ends
//   well ──────────────────────────────────► silent ──────────────────────────────────────► well
//        ──────────────────────────────────► overdue ─────────────────────────────────────► well
//              deadline + grace is over                          the task ends
//
// A task that is both counts as overdue. A silent task whose deadline passes later is not reported
// again until it beats: then the silent stall is over and the overdue one begins. Nothing can fail,
// and the watchdog never stops a task: it only reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/pool_options.h"

namespace tidemill::engine {

// The state of a worker at one moment.
struct WorkerSnapshot {
  std::uint64_t turn = 0;  // changes at each start and end, so that no two tasks are confused
  Instant beat{};          // last heartbeat, or the start of the task
  std::uint64_t task = 0;
  std::uint16_t type = 0;
  bool busy = false;
  std::optional<Instant> deadline{};
};

// None, one or two events: the end of one stall and the start of the next. A value.
class StallEvents {
 public:
  [[nodiscard]] const StallEvent* begin() const { return events_.data(); }
  [[nodiscard]] const StallEvent* end() const { return events_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  friend class Watchdog;
  void push(const StallEvent& event) { events_[size_++] = event; }

  std::array<StallEvent, 2> events_{};
  std::size_t size_ = 0;
};

// One thread.
class Watchdog {
 public:
  Watchdog(WatchdogOptions options, std::size_t workers);  // must pass check()

  [[nodiscard]] StallEvents look(std::size_t worker, const WorkerSnapshot& seen, Instant now);

 private:
  struct Stall {
    StallEvent::Why why;
    std::uint64_t turn;
    std::uint64_t task;
    std::uint16_t type;
    Instant since;  // the last beat, or the deadline
  };

  [[nodiscard]] std::optional<Stall> stall_of(const WorkerSnapshot& seen, Instant now) const;

  WatchdogOptions options_;
  std::vector<std::optional<Stall>> stalls_;  // one per worker; set while it is stalled
};

}  // namespace tidemill::engine
