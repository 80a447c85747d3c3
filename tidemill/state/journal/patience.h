// Patience: what to do when the disk is full. The write is tried again every second until it works:
// whoever needs it waits, so the whole run stands still behind its bounded channels, and goes on by
// itself when there is room again. Only failures with Cure::retry are waited for; everything else
// comes back at once. give_up() ends the waiting: the last failure comes back.
//
// The observer hears once that the run pauses, with the reason, and once that it goes on.
#pragma once

#include <chrono>
#include <functional>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"

namespace tidemill::journal {

// Thread-safe.
class Patience {
 public:
  // Called with the failure when a pause begins, with null when it is over; by the thread that
  // waits, without a lock held.
  using Observer = std::function<void(const Failure*)>;

  explicit Patience(const Clock& clock, Observer observer,
                    std::chrono::milliseconds interval = std::chrono::seconds(1))
      : clock_(clock), observer_(std::move(observer)), interval_(interval) {}

  [[nodiscard]] Result<void> insist(const std::function<Result<void>()>& attempt);
  void give_up();
  [[nodiscard]] bool is_paused() { return state_.lock()->waiting > 0; }

 private:
  struct State {
    int waiting = 0;
    bool has_ended = false;
  };

  // False: given up.
  [[nodiscard]] bool wait();
  void begin(const Failure& failure);
  void end();

  const Clock& clock_;
  const Observer observer_;
  const std::chrono::milliseconds interval_;
  Guarded<State> state_;
};

}  // namespace tidemill::journal
