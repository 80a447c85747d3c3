// Signals: the only place that knows them.
//
//   SIGINT, SIGTERM, SIGHUP   once: stop; again: kill
//   SIGUSR1                   a status line
//   SIGTSTP                   (Ctrl-Z) the terminal is put in order, then we stop as asked
//
// A SIGHUP or SIGTSTP that was ignored when we started (nohup) stays ignored; a SIGINT does not: a
// shell without job control ignores it for every program in the background, and whoever sends one
// to us by hand means it.
//
// One request may arrive as several signals: timeout(1) sends its signal to us and to our group, a
// shell adds its own SIGHUP to that of the terminal, systemd a SIGHUP to its SIGTERM. So what comes
// within a second of the first belongs to it; only two Ctrl-C of a terminal always count as two.
//
// They are blocked in every thread and taken by one that waits for them, so nothing here runs in a
// signal handler. Make it before any other thread is started. Without a thread for it (ulimit -u)
// the signals stay the system's: they end the process as a kill does, and the run can be resumed.
#pragma once

#include <csignal>

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "tidemill/base/clock.h"

namespace tidemill::cli {

// A signal that asks us to stop.
struct StopSignal {
  Instant at{};
  bool is_typed = false;  // Ctrl-C: the terminal sent it, not a process
};

inline constexpr Instant::duration kSameRequest = std::chrono::seconds(1);

// Whether `later` says once more what `first` said.
[[nodiscard]] bool is_same_request(const StopSignal& first, const StopSignal& later);

// Thread-safe.
class Signals {
 public:
  struct Duties {
    std::function<void(int signal, bool is_first)> on_stop;  // after the token was fired
    std::function<void()> on_status;
    std::function<void()> before_pause;
    std::function<void()> after_pause;
  };

  explicit Signals(Duties duties);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();  // the signals are the system's again

  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  [[nodiscard]] std::stop_token kill() const { return kill_.get_token(); }
  [[nodiscard]] int first() const { return first_.load(); }  // 0: none came

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
  StopSignal first_request_{};  // the thread's alone
  std::jthread thread_;
};

}  // namespace tidemill::cli
