// DiskFullWait: pauses a run while the disk is full. It repeats the write every second until it
// succeeds. Its caller blocks, so the run pauses behind its bounded channels and continues by
// itself once there is space. It waits only for failures with Cure::retry and returns all others at
// once. give_up() ends the wait and returns the last failure.
//
// The observer is called once when the run pauses, with the reason, and once when it continues.
#pragma once

#include <chrono>
#include <functional>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"

namespace tidemill::journal {

// Thread-safe.
class DiskFullWait {
 public:
  // Called with the failure when a pause begins and with null when it ends, by the waiting thread,
  // without a lock held.
  using Observer = std::function<void(const Failure*)>;

  explicit DiskFullWait(const Clock& clock, Observer observer,
                        std::chrono::milliseconds interval = std::chrono::seconds(1))
      : clock_(clock), observer_(std::move(observer)), interval_(interval) {}

  [[nodiscard]] Result<void> retry_until_written(const std::function<Result<void>()>& attempt);
  void give_up();
  [[nodiscard]] bool is_paused() { return state_.lock()->waiting > 0; }

 private:
  struct State {
    int waiting = 0;
    bool has_ended = false;
  };

  // False after give_up().
  [[nodiscard]] bool wait();
  void begin(const Failure& failure);
  void end();

  const Clock& clock_;
  const Observer observer_;
  const std::chrono::milliseconds interval_;
  Guarded<State> state_;
};

}  // namespace tidemill::journal
