#include "tidemill/jobs/dupes/pair_lease.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

namespace tidemill::dupes {

Lease take_lease(int file) {
#ifdef TIDEMILL_PLANT
  (void)file;
  return Lease::none;  // a fault for the test of mutations to find
#else
  if (::fcntl(file, F_SETSIG, SIGURG) != 0) return Lease::none;
  if (::fcntl(file, F_SETLEASE, F_RDLCK) == 0) return Lease::held;
  return errno == EAGAIN ? Lease::refused : Lease::none;
#endif
}

bool is_unbroken(int file) { return ::fcntl(file, F_GETLEASE) == F_RDLCK; }

void give_back_lease(int file) { (void)::fcntl(file, F_SETLEASE, F_UNLCK); }

}  // namespace tidemill::dupes
