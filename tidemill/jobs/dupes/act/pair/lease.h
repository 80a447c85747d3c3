// Leases: the system's word that nobody writes to an open file. While a read lease is held, nobody
// has the file open for writing (nor mapped), and whoever opens it so, or truncates it, waits until
// the lease is given back, or 45 seconds (fs.lease-break-time). So what was read under an unbroken
// lease is still what is in the file.
//
// A lease belongs to the open file and ends with its descriptor. The system tells of a break by a
// signal; SIGIO would end the program, so SIGURG is asked for, which nobody notices.
#pragma once

#include <cstdint>
#include <expected>

namespace tidemill::dupes {

enum class Lease : std::uint8_t {
  none,  // not to be had: somebody else's file, or a file system without leases
  held,
  refused,  // somebody has the file open for writing
};

// Both answer with an errno when the call itself failed: then nothing is known about writers.
[[nodiscard]] std::expected<Lease, int> take_lease(int file);
// Of a lease that is held: nobody waits to write, nor was it taken away.
[[nodiscard]] std::expected<bool, int> is_unbroken(int file);
void give_back_lease(int file);

}  // namespace tidemill::dupes
