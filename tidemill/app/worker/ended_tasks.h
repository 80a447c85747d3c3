// EndedTasks: the way of a finished task from the thread that ran it to the loop of the worker
// process.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"

namespace tidemill::app {

struct EndedTask {
  std::string run{};  // its name
  engine::TaskReport report{};
};

// Thread-safe.
class EndedTasks {
 public:
  void put(EndedTask task) {
    state_.update([&](State& state) { state.tasks.push_back(std::move(task)); });
  }
  // Something else has happened: a signal, a machine out of processes.
  void wake() {
    state_.update([](State& state) { state.is_awake = true; });
  }

  [[nodiscard]] std::vector<EndedTask> take() {
    auto state = state_.lock();
    state->is_awake = false;
    return std::exchange(state->tasks, {});
  }
  [[nodiscard]] bool is_empty() { return state_.lock()->tasks.empty(); }

  // Returns when a task has ended, after wake(), or at `until`.
  void wait_until(const Clock& clock, Instant until) {
    (void)state_.lock().wait_until(
        clock, until, [](const State& state) { return state.is_awake || !state.tasks.empty(); });
  }

 private:
  struct State {
    std::vector<EndedTask> tasks{};
    bool is_awake = false;
  };
  Guarded<State> state_;
};

}  // namespace tidemill::app
