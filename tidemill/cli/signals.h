// Signals: the only place that knows them.
//
//   SIGINT, SIGTERM, SIGHUP   once: stop; twice: kill
//   SIGUSR1                   a status line
//   SIGTSTP                   (Ctrl-Z) the terminal is put in order, then we stop as asked
//
// A SIGHUP or SIGTSTP that was ignored when we started (nohup) stays ignored; a SIGINT does not: a
// shell without job control ignores it for every program in the background, and whoever sends one
// to us by hand means it.
//
// They are blocked in every thread and taken by one that waits for them, so nothing here runs in a
// signal handler. Make it before any other thread is started.
#pragma once

#include <csignal>

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

namespace tidemill::cli {

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
  void take(int signal);

  const Duties duties_;
  sigset_t taken_{};
  sigset_t before_{};
  std::stop_source stop_;
  std::stop_source kill_;
  std::atomic<int> first_ = 0;
  std::jthread thread_;
};

}  // namespace tidemill::cli
