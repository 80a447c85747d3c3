#include "tidemill/io/proc/child.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "tidemill/io/proc/pidfd.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {

Result<Child> Child::adopt(pid_t leader) {
  Child child(leader);
  child.pidfd_ = open_pidfd(leader);
  if (!child.pidfd_.is_open()) return fail_to_start(errno, "pidfd");
  return child;
}

Child::Child(Child&& other) noexcept
    : leader_(std::exchange(other.leader_, -1)), pidfd_(std::move(other.pidfd_)) {}

Child::~Child() {
  if (leader_ < 0) return;
  signal(SIGKILL);
  static_cast<void>(reap());
}

void Child::signal(int number) const {
  const bool has_group = ::kill(-leader_, number) == 0;
  // A second SIGTERM would run its handler twice; a second SIGKILL is harmless.
  if (!has_group || number == SIGKILL) ::kill(leader_, number);
}

Result<Ended> Child::reap() {
  Ended ended;
  pid_t reaped = -1;
  do {
    reaped = ::wait4(leader_, &ended.wait_status, 0, &ended.usage);
  } while (reaped < 0 && errno == EINTR);
  leader_ = -1;
  if (reaped < 0) return fail_with(errno, "wait", "cannot get the exit status of a child process");
  return ended;
}

}  // namespace tidemill::proc
