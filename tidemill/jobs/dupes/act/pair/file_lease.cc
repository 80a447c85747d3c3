#include "tidemill/jobs/dupes/act/pair/file_lease.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

namespace tidemill::dupes {

namespace {

// Leases are not available for this file or file system; every other errno is a failure.
[[maybe_unused]] bool is_not_to_be_had(int error) {
  return error == EACCES || error == EPERM || error == EINVAL || error == EOPNOTSUPP ||
         error == ENOSYS || error == ENOLCK;
}

}  // namespace

std::expected<FileLease, int> take_lease(int file) {
#ifdef TIDEMILL_PLANT
  (void)file;
  return FileLease::none;  // a planted fault that the mutation test must find
#else
  if (::fcntl(file, F_SETSIG, SIGURG) == 0 && ::fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    return FileLease::held;
  }
  if (errno == EAGAIN) return FileLease::refused;
  if (is_not_to_be_had(errno)) return FileLease::none;
  return std::unexpected(errno);
#endif
}

std::expected<bool, int> is_unbroken(int file) {
  const int lease = ::fcntl(file, F_GETLEASE);
  if (lease < 0) return std::unexpected(errno);
  return lease == F_RDLCK;
}

void give_back_lease(int file) { (void)::fcntl(file, F_SETLEASE, F_UNLCK); }

}  // namespace tidemill::dupes
