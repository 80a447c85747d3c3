// Signals: the only place that handles signals.
//
//   SIGINT, SIGTERM, SIGHUP   first: stop; second: kill
//   SIGUSR1                   prints a status line
//   SIGTSTP                   (Ctrl-Z) restores the terminal, then stops the process
//
// A SIGHUP or SIGTSTP that was ignored at the start (nohup) stays ignored. A SIGINT does not: a
// shell without job control ignores it for every background process, and a SIGINT sent to us
// explicitly is intended.
//
// One request may arrive as several signals: timeout(1) signals us and our process group, a shell
// adds its own SIGHUP to that of the terminal, systemd a SIGHUP to its SIGTERM. So a signal within
// a second of the first one belongs to it; only two Ctrl-C typed at a terminal always count as two.
//
// The signals are blocked in every thread and received by one thread that waits for them, so
// nothing here runs in a signal handler. Create it before any other thread is started. If that
// thread cannot be started (ulimit -u), the signals keep their default action: they end the process
// as a kill does, and the run can be resumed.
#pragma once

#include <csignal>

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "tidemill/base/clock.h"

namespace tidemill::cli {

// A signal that requests a stop.
struct StopSignal {
  Instant at{};
  bool is_typed = false;  // Ctrl-C: the terminal sent it, not a process
};

inline constexpr Instant::duration kSameRequest = std::chrono::seconds(1);

// Whether `later` is the same request as `first`.
[[nodiscard]] bool is_same_request(const StopSignal& first, const StopSignal& later);

// Thread-safe.
class Signals {
 public:
  struct Duties {
    std::function<void(int signal, bool is_first)> on_stop;  // called after the token was fired
    std::function<void()> on_status;
    std::function<void()> before_pause;
    std::function<void()> after_pause;
  };

  explicit Signals(Duties duties);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();  // restores the signal mask

  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  [[nodiscard]] std::stop_token kill() const { return kill_.get_token(); }
  [[nodiscard]] int first() const { return first_.load(); }  // 0: none

 private:
  void wait_for_them();
  void take(const siginfo_t& signal);
  void stop_or_kill(int signal, const StopSignal& now);

  const Duties duties_;
  sigset_t taken_{};
  sigset_t before_{};
  std::stop_source stop_;
  std::stop_source kill_;
  std::atomic<int> first_ = 0;
  StopSignal first_request_{};  // used by the thread only
  std::jthread thread_;
};

}  // namespace tidemill::cli
