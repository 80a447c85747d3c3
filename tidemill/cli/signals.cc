#include "tidemill/cli/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

namespace tidemill::cli {
namespace {

constexpr int kLeave = SIGUSR2;  // our own, to end the thread

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(Duties duties) : duties_(std::move(duties)) {
  ::sigemptyset(&taken_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, kLeave}) ::sigaddset(&taken_, signal);
  for (const int signal : {SIGHUP, SIGTSTP}) {
    if (!is_ignored(signal)) ::sigaddset(&taken_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &taken_, &before_);
  thread_ = std::jthread([this] { wait_for_them(); });
}

Signals::~Signals() {
  ::pthread_kill(thread_.native_handle(), kLeave);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::wait_for_them() {
  for (;;) {
    int signal = 0;
    if (::sigwait(&taken_, &signal) != 0) continue;
    if (signal == kLeave) return;
    take(signal);
  }
}

void Signals::take(int signal) {
  if (signal == SIGUSR1) return duties_.on_status();
  if (signal == SIGTSTP) {
    duties_.before_pause();
    ::kill(::getpid(), SIGSTOP);  // goes on here with SIGCONT
    return duties_.after_pause();
  }
  int none = 0;
  const bool is_first = first_.compare_exchange_strong(none, signal);
  (is_first ? stop_ : kill_).request_stop();
  duties_.on_stop(signal, is_first);
}

}  // namespace tidemill::cli
