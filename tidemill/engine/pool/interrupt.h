// Interrupt: the stop signal of one worker, for task after task.
//
// It fires when the pool is stopped, or when the deadline of the task that runs now has come. A
// std::stop_source of its own for every task would cost an allocation a task; this one is kept
// until it has fired for a deadline, and only then replaced.
#pragma once

#include <cstdint>
#include <stop_token>

#include "tidemill/base/guarded.h"

namespace tidemill::engine {

// Thread-safe.
class Interrupt {
 public:
  [[nodiscard]] std::stop_token token() { return state_.lock()->source.get_token(); }

  // Its worker: a task with a deadline begins; `turn` is never used twice.
  void arm(std::uint64_t turn) { state_.lock()->armed = turn; }

  // Its worker: that task has ended, and the next one must not feel its deadline.
  void disarm() {
    auto state = state_.lock();
    state->armed = 0;
    if (!state->is_spent) return;
    state->is_spent = false;
    if (!state->is_final) state->source = std::stop_source();
  }

  // The watch: does nothing when that task is over. The source is marked as spent before it fires,
  // so a task that begins in between already has another one.
  void fire(std::uint64_t turn) {
    std::stop_source source(std::nostopstate);
    {
      auto state = state_.lock();
      if (state->armed != turn || state->is_spent) return;
      state->is_spent = true;
      source = state->source;
    }
    source.request_stop();  // runs the callbacks of strangers: never under a lock
  }

  // The pool stops: this task and all later ones.
  void fire_for_good() {
    std::stop_source source(std::nostopstate);
    {
      auto state = state_.lock();
      state->is_final = true;
      source = state->source;
    }
    source.request_stop();
  }

 private:
  struct State {
    std::stop_source source;
    std::uint64_t armed = 0;
    bool is_spent = false;
    bool is_final = false;
  };
  Guarded<State> state_;
};

}  // namespace tidemill::engine
