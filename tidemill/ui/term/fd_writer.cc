#include "tidemill/ui/term/fd_writer.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

namespace tidemill::term {
namespace {

Failure failure_of(int error, std::string_view name) {
  std::string reason(name);
  const bool is_closed = error == EPIPE;
  if (is_closed) {
    reason += " is closed";
  } else if (error == ENOSPC || error == EDQUOT) {
    reason += " is full: no space left";
  } else {
    reason += ": cannot write: " + std::system_category().message(error);
  }
  return {.cure = Cure::give_up,
          .kind = is_closed ? FailureKind::closed : FailureKind::unwritable,
          .step = "output",
          .reason = std::move(reason)};
}

}  // namespace

Result<void> write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
      (void)::poll(&room, 1, -1);  // any error shows in the next write
    } else if (errno != EINTR) {
      return std::unexpected(failure_of(errno, name));
    }
  }
  return {};
}

Result<void> sync_file(int fd, std::string_view name) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (::fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS) return {};
  return std::unexpected(failure_of(errno, name));
}

bool is_ready(int fd) {
  pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&room, 1, 0) != 0;
}

}  // namespace tidemill::term
