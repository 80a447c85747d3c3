// FileLease: a read lease (fcntl F_SETLEASE), which guarantees that an open file is not written to.
// While it is held, no process has the file open or mapped for writing, and a process that opens it
// for writing or truncates it blocks until the lease is released, at most 45 seconds
// (fs.lease-break-time). So the bytes that were read under an unbroken lease are still those of the
// file.
//
// A lease belongs to the open file and ends with its descriptor. The kernel signals a break; SIGIO
// would terminate the program, so SIGURG is requested, which is ignored by default.
#pragma once

#include <cstdint>
#include <expected>

namespace tidemill::dupes {

enum class FileLease : std::uint8_t {
  none,  // not available: another user's file, or a file system without leases
  held,
  refused,  // a process has the file open for writing
};

// Both return an errno when the call itself failed: then nothing is known about writers.
[[nodiscard]] std::expected<FileLease, int> take_lease(int file);
// For a held lease: no process waits to write, and the kernel has not revoked it.
[[nodiscard]] std::expected<bool, int> is_unbroken(int file);
void give_back_lease(int file);

}  // namespace tidemill::dupes
