// LittleRoom: as on a disk that is full.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace tidemill::testing {

// While it lives, no file of this process grows beyond so many bytes: a write that wants to fails
// with EFBIG. One at a time.
class LittleRoom {
 public:
  explicit LittleRoom(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~LittleRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;

 private:
  using Handler = void (*)(int);
  Handler handler_;
  rlimit before_{};
};

}  // namespace tidemill::testing
