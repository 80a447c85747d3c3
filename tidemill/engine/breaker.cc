#include "tidemill/engine/breaker.h"

#include <algorithm>
#include <cassert>

namespace tidemill::engine {

Result<void> BreakerOptions::check() const {
  constexpr Instant::duration kLongest = std::chrono::hours(24 * 365);  // now + this must not wrap
  if (failures_to_open < 1) {
    return fail(Cure::give_up, "breaker", "failures_to_open must be at least 1");
  }
  if (open_for <= Instant::duration(0) || open_for > kLongest) {
    return fail(Cure::give_up, "breaker", "open_for must be above zero and at most a year");
  }
  return {};
}

Breaker::Breaker(BreakerOptions options) : options_(options) { assert(options_.check()); }

Breaker::Permit Breaker::ask(Instant now) {
  if (state_ == State::closed) return {.generation = generation_};
  if (now < until_) {
    const auto left = until_ - now;
    return {.retry_after = state_ == State::half_open ? std::min(left, kProbeWait) : left};
  }
  // Open long enough, or the last probe is lost: in both cases one probe starts now.
  enter(State::half_open);
  until_ = now + options_.open_for;
  return {.generation = generation_};
}

void Breaker::succeeded(const Permit& permit) {
  if (permit.generation != generation_) return;
  failures_ = 0;
  if (state_ == State::half_open) enter(State::closed);
}

void Breaker::failed(const Permit& permit, Instant now) {
  if (permit.generation != generation_) return;
  if (state_ == State::closed && ++failures_ < options_.failures_to_open) return;
  enter(State::open);
  until_ = now + options_.open_for;
}

// The open state issues no permits, so no report matches its generation.
void Breaker::enter(State state) {
  state_ = state;
  ++generation_;
}

}  // namespace tidemill::engine
