#include "tidemill/engine/pool/watchdog.h"

#include <cassert>

namespace tidemill::engine {

Result<void> WatchdogOptions::check() const {
  if (stall_after < Instant::duration(0)) {
    return fail(Cure::give_up, "watchdog", "stall_after must not be negative");
  }
  if (overdue_grace < Instant::duration(0)) {
    return fail(Cure::give_up, "watchdog", "overdue_grace must not be negative");
  }
  return {};
}

Watchdog::Watchdog(WatchdogOptions options, std::size_t workers)
    : options_(options), stalls_(workers) {
  assert(options_.check());
}

StallEvents Watchdog::look(std::size_t worker, const WorkerSight& sight, Instant now) {
  assert(worker < stalls_.size());
  StallEvents events;
  auto& told = stalls_[worker];
  const auto tell = [&](StallEvent::Kind kind, const Stall& stall) {
    events.push({.kind = kind,
                 .why = stall.why,
                 .worker = worker,
                 .task = stall.task,
                 .type = stall.type,
                 .age = now - stall.since});
  };
  if (told) {
    const bool same_task = sight.busy && sight.turn == told->turn;
    const bool beats = told->why == StallEvent::Why::silent && sight.beat > told->since;
    if (same_task && !beats) return events;
    tell(StallEvent::Kind::recovered, *told);
    told.reset();
  }
  told = stall_of(sight, now);
  if (told) tell(StallEvent::Kind::stalled, *told);
  return events;
}

// The limits are taken from `now` and not added to the other side, which may lie at the end of
// time.
std::optional<Watchdog::Stall> Watchdog::stall_of(const WorkerSight& sight, Instant now) const {
  const auto stall = [&](StallEvent::Why why, Instant since) {
    return Stall{
        .why = why, .turn = sight.turn, .task = sight.task, .type = sight.type, .since = since};
  };
  constexpr Instant::duration kOff{0};
  const auto [stall_after, grace] = options_;
  if (!sight.busy) return std::nullopt;
  if (grace != kOff && sight.deadline && *sight.deadline < now - grace) {
    return stall(StallEvent::Why::overdue, *sight.deadline);
  }
  if (stall_after != kOff && sight.beat < now - stall_after) {
    return stall(StallEvent::Why::silent, sight.beat);
  }
  return std::nullopt;
}

}  // namespace tidemill::engine
