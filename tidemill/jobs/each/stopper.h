// Stopper: stops a run in an orderly way and within seconds.
//
//   first stop   ── intake stops ── 1.5 s for running commands ── SIGTERM ── at 4 s SIGKILL
//   second stop  ── SIGKILL immediately
//   --halt soon  ── intake stops, running commands may finish, --timeout at most ── SIGTERM
//   --halt now   ── intake stops ── SIGTERM ── --grace ── SIGKILL
//
// It has its own thread, because the caller that requests a stop must not wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/proc/stop_bell.h"
#include "tidemill/jobs/each/halt.h"

namespace tidemill::each {

// Thread-safe.
class Stopper {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'500};
  static constexpr std::chrono::milliseconds kLimit{4'000};

  struct Duties {
    std::function<void()> stop_intake;
    std::function<void(proc::StopUrge)> end_all;
  };

  // `stop` and `kill` are the tokens of the user's signals. The clock and everything the duties use
  // must outlive the Stopper. `timeout` is the time limit of a command, 0: none; it is enforced
  // here because a pool that stops no longer watches deadlines.
  Stopper(Duties duties, const std::stop_token& stop, const std::stop_token& kill,
          const Clock& clock, std::chrono::milliseconds timeout = {});
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  ~Stopper();

  void halt(HaltRule::Manner manner);

  // Set if the thread could not be started: then the run cannot be stopped.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  [[nodiscard]] bool was_interrupted() { return state_.lock()->asked >= Asked::stop; }
  [[nodiscard]] bool was_halted() { return state_.lock()->has_halted; }

 private:
  enum class Asked : std::uint8_t { nothing, soon, now, stop, kill };
  struct State {
    Asked asked = Asked::nothing;
    bool has_halted = false;
    bool has_ended = false;
  };

  void ask(Asked what);
  void watch();
  // Waits for a request beyond `done`, or until `until`. Empty: the run has ended.
  [[nodiscard]] std::optional<Asked> next(Asked done, std::optional<Instant> until);

  const Duties duties_;
  const Clock& clock_;
  const std::chrono::milliseconds timeout_;
  Guarded<State> state_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::stop_callback<std::function<void()>> on_kill_;
  std::optional<Failure> failure_;  // set by the constructor
  std::jthread thread_;
};

}  // namespace tidemill::each
