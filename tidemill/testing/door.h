// Door: a gate for tests. Its tasks block until the test opens it, or their pool is stopped.
#pragma once

#include <cstddef>
#include <stop_token>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/task_context.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::testing {

// Thread-safe.
class Door {
 public:
  // The body of a task that blocks; any number of tasks may use one door.
  [[nodiscard]] auto task() {
    return [this](engine::TaskContext& context) -> Result<void> { return stay(context); };
  }

  void open() {
    state_.update([](State& state) { state.is_open = true; });
  }

  // Waits until `count` tasks have started to block; false after the time limit of eventually().
  [[nodiscard]] bool entered(std::size_t count = 1) {
    return eventually([&] { return state_.lock()->entered >= count; });
  }

 private:
  struct State {
    std::size_t entered = 0;
    bool is_open = false;
  };

  Result<void> stay(engine::TaskContext& context) {
    state_.lock()->entered += 1;
    const std::stop_token stop = context.stop();
    const std::stop_callback wake(stop, [this] { state_.update([](State&) {}); });
    state_.lock().wait([&](const State& state) { return state.is_open || stop.stop_requested(); });
    if (stop.stop_requested()) return context.stopped();
    return {};
  }

  Guarded<State> state_;
};

}  // namespace tidemill::testing
