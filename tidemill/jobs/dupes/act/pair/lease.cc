#include "tidemill/jobs/dupes/act/pair/lease.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

namespace tidemill::dupes {

namespace {

// The owner of the file or its file system has no leases for us; every other error is one.
[[maybe_unused]] bool is_not_to_be_had(int error) {
  return error == EACCES || error == EPERM || error == EINVAL || error == EOPNOTSUPP ||
         error == ENOSYS || error == ENOLCK;
}

}  // namespace

std::expected<Lease, int> take_lease(int file) {
#ifdef TIDEMILL_PLANT
  (void)file;
  return Lease::none;  // a fault for the test of mutations to find
#else
  if (::fcntl(file, F_SETSIG, SIGURG) == 0 && ::fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    return Lease::held;
  }
  if (errno == EAGAIN) return Lease::refused;
  if (is_not_to_be_had(errno)) return Lease::none;
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
