// Interrupt: the stop signal of one worker, reused for all its tasks.
//
// It fires when the pool is stopped, or when the deadline of the running task has passed. A new
// std::stop_source for every task would cost an allocation per task; this one is replaced only
// after it has fired for a deadline.
#pragma once

#include <cstdint>
#include <stop_token>

#include "tidemill/base/guarded.h"

namespace tidemill::engine {

// Thread-safe.
class Interrupt {
 public:
  [[nodiscard]] std::stop_token token() { return state_.lock()->source.get_token(); }

  // Called by its worker when a task with a deadline begins; each `turn` is used once.
  void arm(std::uint64_t turn) { state_.lock()->armed = turn; }

  // Called by its worker when that task has ended: its deadline must not stop the next one.
  void disarm() {
    auto state = state_.lock();
    state->armed = 0;
    if (!state->is_spent) return;
    state->is_spent = false;
    if (!state->is_final) state->source = std::stop_source();
  }

  // Called by the watch. Does nothing if that task is over. The source is marked as spent before it
  // fires, so a task that begins in between already has a new one.
  void fire(std::uint64_t turn) {
    std::stop_source source(std::nostopstate);
    {
      auto state = state_.lock();
      if (state->armed != turn || state->is_spent) return;
      state->is_spent = true;
      source = state->source;
    }
    source.request_stop();  // runs foreign callbacks: never under a lock
  }

  // The pool stops: fires for this task and all later ones.
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
