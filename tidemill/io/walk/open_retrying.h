// open_retrying: openat(), retried on EINTR.
#pragma once

#include <fcntl.h>

#include <cerrno>

namespace tidemill::walk {

// Returns a descriptor, or -1 with errno set.
[[nodiscard]] inline int open_retrying(int parent, const char* name, int flags) {
  int number = -1;
  do {
    number = ::openat(parent, name, flags);
  } while (number < 0 && errno == EINTR);
  return number;
}

}  // namespace tidemill::walk
