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

StallEvents Watchdog::look(std::size_t worker, const WorkerSnapshot& seen, Instant now) {
  assert(worker < stalls_.size());
  StallEvents events;
  auto& reported = stalls_[worker];
  const auto report = [&](StallEvent::Kind kind, const Stall& stall) {
    events.push({.kind = kind,
                 .why = stall.why,
                 .worker = worker,
                 .task = stall.task,
                 .type = stall.type,
                 .age = now - stall.since});
  };
  if (reported) {
    const bool same_task = seen.busy && seen.turn == reported->turn;
    const bool beats = reported->why == StallEvent::Why::silent && seen.beat > reported->since;
    if (same_task && !beats) return events;
    report(StallEvent::Kind::recovered, *reported);
    reported.reset();
  }
  reported = stall_of(seen, now);
  if (reported) report(StallEvent::Kind::stalled, *reported);
  return events;
}

// The limits are subtracted from `now`, not added to the beat or deadline, which may be
// Instant::max().
std::optional<Watchdog::Stall> Watchdog::stall_of(const WorkerSnapshot& seen, Instant now) const {
  const auto stall = [&](StallEvent::Why why, Instant since) {
    return Stall{
        .why = why, .turn = seen.turn, .task = seen.task, .type = seen.type, .since = since};
  };
  constexpr Instant::duration kOff{0};
  const auto [stall_after, grace] = options_;
  if (!seen.busy) return std::nullopt;
  if (grace != kOff && seen.deadline && *seen.deadline < now - grace) {
    return stall(StallEvent::Why::overdue, *seen.deadline);
  }
  if (stall_after != kOff && seen.beat < now - stall_after) {
    return stall(StallEvent::Why::silent, seen.beat);
  }
  return std::nullopt;
}

}  // namespace tidemill::engine
