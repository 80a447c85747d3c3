// pidfd: a descriptor that refers to a process. It is readable when the process has ended, and
// unlike a pid it is never reused for another process. Uses system calls directly, because
// <sys/pidfd.h> of glibc 2.36 does not link from C++.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "tidemill/base/descriptor.h"

namespace tidemill::proc {

// On failure the descriptor is not open and errno is set. A pidfd is always close-on-exec.
[[nodiscard]] inline Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

inline void send_signal(const Descriptor& pidfd, int signal) {
  ::syscall(SYS_pidfd_send_signal, pidfd.number(), signal, nullptr, 0);
}

}  // namespace tidemill::proc
