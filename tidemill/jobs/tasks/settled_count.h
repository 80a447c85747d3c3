// SettledCount: how many tasks have left the pipeline for good. The sink counts them; the feeder
// waits for a number before it feeds a suspect, which runs alone (feeder.h).
#pragma once

#include <cstdint>

#include "tidemill/base/guarded.h"

namespace tidemill::jobs {

// Thread-safe.
class SettledCount {
 public:
  void add(std::uint64_t tasks) {
    state_.update([&](State& state) { state.count += tasks; });
  }

  // Waits until `count` tasks are settled; false: stop_waiting() was called.
  [[nodiscard]] bool wait_for(std::uint64_t count) {
    auto state = state_.lock();
    state.wait([&](const State& s) { return s.has_stopped || s.count >= count; });
    return !state->has_stopped;
  }
  void stop_waiting() {
    state_.update([](State& state) { state.has_stopped = true; });
  }

 private:
  struct State {
    std::uint64_t count = 0;
    bool has_stopped = false;
  };
  Guarded<State> state_;
};

}  // namespace tidemill::jobs
