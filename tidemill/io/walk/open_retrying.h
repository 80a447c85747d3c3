// open_retrying: openat() that no signal cuts short. Pure but for that call.
#pragma once

#include <fcntl.h>

#include <cerrno>

namespace tidemill::walk {

// A descriptor, or -1 and errno.
[[nodiscard]] inline int open_retrying(int parent, const char* name, int flags) {
  int number = -1;
  do {
    number = ::openat(parent, name, flags);
  } while (number < 0 && errno == EINTR);
  return number;
}

}  // namespace tidemill::walk
