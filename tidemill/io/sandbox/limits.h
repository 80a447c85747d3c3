// CellLimits: how much a cell may take, and Confinement: which walls of a cell stand on this
// machine. Values; nothing here fails.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/base/bytes.h"

namespace tidemill::sandbox {

struct CellLimits {
  // Memory of its own: heap and private mappings (RLIMIT_DATA). With the program's code on top the
  // resident size stays below 256 MiB. What is beyond ends the cell with `out_of_memory`.
  Bytes memory = mib(208);
  Bytes answer = mib(64);                 // a larger one is `too_much`
  Bytes file = mib(4096);                 // of a file it writes through a descriptor (RLIMIT_FSIZE)
  std::chrono::milliseconds cpu{30'000};  // for one request; beyond it is `timed_out`
  std::uint32_t requests = 1'000;         // then a new cell takes over; 1: a new one each time
  Bytes stale_above = mib(96);  // a cell whose resident size has been above it is not used again
  int nice = 5;
};

// no_new_privs, the resource limits, the closed descriptors and the end with the parent always
// hold: a cell without them does not start.
struct Confinement {
  bool has_landlock = false;      // the file system is closed by the kernel's Landlock
  bool has_call_list = false;     // only the calls on a list; false under a sanitizer: there the
                                  // worst ones are refused, the others pass
  bool has_memory_limit = false;  // false under a sanitizer

  bool operator==(const Confinement&) const = default;
};

}  // namespace tidemill::sandbox
