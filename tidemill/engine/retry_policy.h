// RetryPolicy: when to retry, and when to give up. A value: copy it, compare it, store it.
//
// The delay grows by `factor` from `first_delay` up to `max_delay`, with full jitter: it is uniform
// between zero and that ceiling, so that a thousand tasks that failed together are not retried
// together. A peer's request (Failure::not_before) is honoured even beyond max_delay. Every delay
// is between zero and kLongest, whatever the fields hold, so it can be added to an Instant; check()
// names an invalid field.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/result.h"

namespace tidemill::engine {

// Immutable in use: it has no clock and no dice, so any thread may call it.
struct RetryPolicy {
  using Delay = std::chrono::milliseconds;

  // Means "never", but still fits into the nanoseconds of an Instant.
  static constexpr Delay kLongest = std::chrono::hours(24 * 365 * 100);

  int max_attempts = 4;  // including the first
  Delay first_delay{200};
  Delay max_delay{30'000};
  double factor = 2.0;

  static constexpr RetryPolicy never() { return {.max_attempts = 1}; }

  // The delay after `attempt` (1, 2, …) failed; nullopt if it was the last, or if the failure is
  // permanent. Cure::later did not count as an attempt: its delay is not_before. `draw` in [0, 1)
  // comes from the caller, so the same inputs give the same result.
  [[nodiscard]] std::optional<Delay> after(const Failure& failure, int attempt, double draw) const {
    if (failure.cure == Cure::later) return std::clamp(failure.not_before, Delay(0), kLongest);
    if (failure.cure == Cure::give_up || attempt >= max_attempts) return std::nullopt;
    const double share = draw > 0 ? std::min(draw, 1.0) : 0.0;
    const Delay jittered(std::llround(share * static_cast<double>(ceiling(attempt).count())));
    return std::min(std::max(jittered, failure.not_before), kLongest);
  }

  // The longest delay that after() may draw for this attempt.
  [[nodiscard]] Delay ceiling(int attempt) const {
    const Delay cap = std::clamp(max_delay, Delay(0), kLongest);
    if (first_delay <= Delay(0)) return Delay(0);  // and never 0 × infinity below
    const double raw = static_cast<double>(first_delay.count()) *
                       std::pow(factor, static_cast<double>(std::max(attempt, 1)) - 1.0);
    // Compared before the cast: raw may be infinite, and NaN must take the cap too.
    if (!(raw < static_cast<double>(cap.count()))) return cap;
    return Delay(std::max(std::llround(raw), 0LL));
  }

  [[nodiscard]] Result<void> check() const {
    if (max_attempts < 1) return wrong("max_attempts must be at least 1");
    if (first_delay < Delay(0)) return wrong("first_delay must not be negative");
    if (max_delay < Delay(0)) return wrong("max_delay must not be negative");
    if (!(factor > 0) || std::isinf(factor)) return wrong("factor must be a number above 0");
    return {};
  }

  bool operator==(const RetryPolicy&) const = default;

 private:
  static std::unexpected<Failure> wrong(std::string reason) {
    return fail(Cure::give_up, "retry policy", std::move(reason));
  }
};

}  // namespace tidemill::engine
