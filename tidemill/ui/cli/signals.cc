#include "tidemill/ui/cli/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "tidemill/base/thread.h"

namespace tidemill::cli {
namespace {

constexpr int kLeave = SIGUSR2;  // internal: ends the thread

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

bool is_same_request(const StopSignal& first, const StopSignal& later) {
  if (first.is_typed && later.is_typed) return false;
  return later.at - first.at < kSameRequest;
}

Signals::Signals(Duties duties) : duties_(std::move(duties)) {
  ::sigemptyset(&taken_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, kLeave}) ::sigaddset(&taken_, signal);
  for (const int signal : {SIGHUP, SIGTSTP}) {
    if (!is_ignored(signal)) ::sigaddset(&taken_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &taken_, &before_);
  auto started = start_thread(
      "the signals", [this] { wait_for_them(); },
      [this](const Failure&) { ::pthread_sigmask(SIG_UNBLOCK, &taken_, nullptr); });
  if (started) {
    thread_ = *std::move(started);
  } else {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

Signals::~Signals() {
  if (!thread_.joinable()) return;
  ::pthread_kill(thread_.native_handle(), kLeave);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::wait_for_them() {
  for (;;) {
    siginfo_t signal{};
    if (::sigwaitinfo(&taken_, &signal) < 0) continue;
    if (signal.si_signo == kLeave) return;
    take(signal);
  }
}

void Signals::take(const siginfo_t& signal) {
  if (signal.si_signo == SIGUSR1) return duties_.on_status();
  if (signal.si_signo == SIGTSTP) {
    duties_.before_pause();
    ::kill(::getpid(), SIGSTOP);  // SIGCONT continues here
    return duties_.after_pause();
  }
  const bool is_typed = signal.si_signo == SIGINT && signal.si_code == SI_KERNEL;
  stop_or_kill(signal.si_signo, {.at = SystemClock().now(), .is_typed = is_typed});
}

void Signals::stop_or_kill(int signal, const StopSignal& now) {
  int none = 0;
  const bool is_first = first_.compare_exchange_strong(none, signal);
  if (is_first) first_request_ = now;
  if (!is_first && is_same_request(first_request_, now)) return;
  const bool is_news = (is_first ? stop_ : kill_).request_stop();  // false for a third signal
  if (is_news) duties_.on_stop(signal, is_first);
}

}  // namespace tidemill::cli
