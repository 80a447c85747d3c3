#include "tidemill/jobs/each/stopper.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/thread.h"

namespace tidemill::each {

Stopper::Stopper(Duties duties, const std::stop_token& stop, const std::stop_token& kill,
                 const Clock& clock, std::chrono::milliseconds timeout)
    : duties_(std::move(duties)),
      clock_(clock),
      timeout_(timeout),
      on_stop_(stop, [this] { ask(Asked::stop); }),
      on_kill_(kill, [this] { ask(Asked::kill); }) {
  // If the thread runs out of memory, everything is stopped at once instead.
  auto started = start_thread(
      "stopping", [this] { watch(); },
      [this](const Failure&) {
        duties_.stop_intake();
        duties_.end_all(proc::StopUrge::kill);
      });
  if (started) {
    thread_ = *std::move(started);
  } else {
    failure_ = std::move(started).error();
  }
}

Stopper::~Stopper() {
  state_.update([](State& state) { state.has_ended = true; });
}

void Stopper::halt(HaltRule::Manner manner) {
  state_.update([](State& state) { state.has_halted = true; });
  ask(manner == HaltRule::Manner::now ? Asked::now : Asked::soon);
}

void Stopper::ask(Asked what) {
  state_.update([&](State& state) { state.asked = std::max(state.asked, what); });
}

std::optional<Stopper::Asked> Stopper::next(Asked done, std::optional<Instant> until) {
  const auto ready = [&](const State& state) { return state.has_ended || state.asked > done; };
  auto state = state_.lock();
  if (until) {
    (void)state.wait_until(clock_, *until, ready);
  } else {
    state.wait(ready);
  }
  if (state->has_ended) return std::nullopt;
  return state->asked;
}

void Stopper::watch() {
  auto asked = next(Asked::nothing, std::nullopt);
  if (!asked) return;
  duties_.stop_intake();
  if (*asked == Asked::soon) {
    const bool has_limit = timeout_.count() > 0;
    asked = next(Asked::soon, has_limit ? std::optional(clock_.now() + timeout_) : std::nullopt);
  }
  if (asked == Asked::soon || asked == Asked::now) {
    duties_.end_all(proc::StopUrge::end);  // proc::Runner sends SIGKILL after the grace period
    asked = next(Asked::now, std::nullopt);
  }
  if (asked == Asked::stop) {
    const Instant begun = clock_.now();
    asked = next(Asked::stop, begun + kPatience);
    if (asked == Asked::stop) {
      duties_.end_all(proc::StopUrge::end);
      asked = next(Asked::stop, begun + kLimit);
    }
  }
  if (asked) duties_.end_all(proc::StopUrge::kill);
}

}  // namespace tidemill::each
