// Stopper: ends a run in good order and within seconds.
//
//   asked once   ── intake stops ── 1.5 s for what runs ── SIGTERM ── at 4 s SIGKILL
//   asked twice  ── SIGKILL now
//   --halt soon  ── intake stops, what runs may take its time, --timeout at most ── SIGTERM
//   --halt now   ── intake stops ── SIGTERM ── --grace ── SIGKILL
//
// A thread of its own, because whoever asks must not wait.
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
#include "tidemill/io/proc/bell.h"
#include "tidemill/jobs/each/halt.h"

namespace tidemill::each {

// Thread-safe.
class Stopper {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'500};
  static constexpr std::chrono::milliseconds kLimit{4'000};

  struct Duties {
    std::function<void()> stop_intake;
    std::function<void(proc::Urge)> end_all;
  };

  // The tokens are the user's; the clock and what the duties use must outlive it. `timeout` is that
  // of a command, 0: none. A pool that stops no longer watches deadlines, so it is watched here.
  Stopper(Duties duties, const std::stop_token& stop, const std::stop_token& kill,
          const Clock& clock, std::chrono::milliseconds timeout = {});
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  ~Stopper();

  void halt(HaltRule::Manner manner);

  // Why nothing can be stopped: the machine has no thread for it.
  [[nodiscard]] const std::optional<Failure>& trouble() const { return trouble_; }

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
  // Waits until more than `done` is asked, or the time has come. Nothing: the run has ended.
  [[nodiscard]] std::optional<Asked> next(Asked done, std::optional<Instant> until);

  const Duties duties_;
  const Clock& clock_;
  const std::chrono::milliseconds timeout_;
  Guarded<State> state_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::stop_callback<std::function<void()>> on_kill_;
  std::optional<Failure> trouble_;  // set by the constructor
  std::jthread thread_;
};

}  // namespace tidemill::each
