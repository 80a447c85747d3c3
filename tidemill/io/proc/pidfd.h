// A descriptor that stands for a process: readable when it has ended, and never another process's,
// as a number can become. By system call: the <sys/pidfd.h> of glibc 2.36 does not link from C++.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "tidemill/base/descriptor.h"

namespace tidemill::proc {

// Not open when it fails; errno says why. Close-on-exec, as all of them are.
[[nodiscard]] inline Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

inline void send_signal(const Descriptor& pidfd, int signal) {
  ::syscall(SYS_pidfd_send_signal, pidfd.number(), signal, nullptr, 0);
}

}  // namespace tidemill::proc
