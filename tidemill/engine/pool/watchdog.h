// Watchdog: decides which workers are stalled, from what can be seen of them from outside.
//
// A task is stalled when it has given no sign of life for `stall_after` (silent), or runs on past
// its own deadline for `overdue_grace` (overdue). Each stall is told once, and once more when it is
// over:
//
//                 no beat for stall_after               the same task beats again, or ends
//   well ──────────────────────────────────► silent ──────────────────────────────────────► well
//        ──────────────────────────────────► overdue ─────────────────────────────────────► well
//              deadline + grace is over                          the task ends
//
// A task that is both is overdue. A silent one whose deadline then passes too is not told again
// until it beats: then the silence is over and the delay begins. Nothing can fail, and nothing is
// done about a stalled task: the watchdog barks, it does not bite.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/pool_options.h"

namespace tidemill::engine {

// A worker as it is seen at one moment.
struct WorkerSight {
  std::uint64_t turn = 0;  // changes with each start and end, so that no two tasks are confused
  Instant beat{};          // last heartbeat, or the start of the task
  std::uint64_t task = 0;
  std::uint16_t type = 0;
  bool busy = false;
  std::optional<Instant> deadline{};
};

// None, one, or two: the end of one stall and the start of the next. A value.
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

// One thread: that of the one who looks.
class Watchdog {
 public:
  Watchdog(WatchdogOptions options, std::size_t workers);  // as check() accepts them

  [[nodiscard]] StallEvents look(std::size_t worker, const WorkerSight& sight, Instant now);

 private:
  struct Stall {
    StallEvent::Why why;
    std::uint64_t turn;
    std::uint64_t task;
    std::uint16_t type;
    Instant since;  // the last beat, or the deadline
  };

  [[nodiscard]] std::optional<Stall> stall_of(const WorkerSight& sight, Instant now) const;

  WatchdogOptions options_;
  std::vector<std::optional<Stall>> stalls_;  // one place for each worker; filled while told
};

}  // namespace tidemill::engine
