// UnixName: the name of a listening Unix socket in the file system, and listening at one. Only the
// user of this process may connect: the socket has mode 0600 from its first moment, whatever the
// umask. The name appears when connections are accepted, and the destructor removes it.
//
// While it listens, a process holds a lock on `PATH.lock` beside the socket; the system releases it
// when the process dies. So two processes never listen at one name, and a socket that a dead
// process left is replaced, in one step. A socket of a program that knows nothing of the lock is in
// use if it accepts a connection. Anything but a socket is never replaced, and a name that by now
// belongs to somebody else is not removed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::web {

// One thread.
class UnixName {
 public:
  // What the system takes as the name of a socket, less our suffix while it is made.
  static constexpr std::size_t kMostPath = 103;

  UnixName() = default;  // no name
  UnixName(UnixName&& other) noexcept = default;
  UnixName& operator=(UnixName&& other) noexcept;
  UnixName(const UnixName&) = delete;
  UnixName& operator=(const UnixName&) = delete;
  ~UnixName() { remove(); }

  // Returns a listening, non-blocking socket. Call once. Fails with step "listen" and Cure::give_up
  // when the path is relative, too long, in use, not a socket, or not permitted.
  [[nodiscard]] Result<Descriptor> listen_at(std::string_view path);

 private:
  [[nodiscard]] Result<void> take_lock();
  [[nodiscard]] Result<void> expect_nobody() const;
  [[nodiscard]] Result<Descriptor> bound_socket(const std::string& path);
  void remove();

  std::string path_;
  Descriptor lock_;  // of PATH.lock, with our lock
  Descriptor own_;   // of the socket's name: its inode belongs to no other file while this is open
};

}  // namespace tidemill::web
