// SandboxLimits: the resources that a sandbox may use. Confinement: the restrictions that are in
// force on this machine. Plain values; nothing here fails.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/base/bytes.h"

namespace tidemill::sandbox {

struct SandboxLimits {
  // Heap and private mappings (RLIMIT_DATA). With the program's code on top, the resident size
  // stays below 256 MiB. Exceeding it ends the sandbox with `out_of_memory`.
  Bytes memory = mib(208);
  Bytes answer = mib(64);                 // a larger answer is `too_much`
  Bytes file = mib(4096);                 // size of a file that it writes (RLIMIT_FSIZE)
  std::chrono::milliseconds cpu{30'000};  // per request; more is `timed_out`
  std::uint32_t requests = 1'000;         // per sandbox; 1: a new one for each request
  Bytes stale_above = mib(96);            // not reused if its peak resident size exceeds this
  int nice = 5;
};

// no_new_privs, the other resource limits, the closed descriptors and the death with the parent are
// always in force: a sandbox does not start without them.
struct Confinement {
  bool has_landlock = false;      // Landlock denies access to the file system
  bool has_call_list = false;     // only listed system calls are allowed; false under a sanitizer:
                                  // there the most dangerous are denied, the others allowed
  bool has_memory_limit = false;  // false under a sanitizer

  bool operator==(const Confinement&) const = default;
};

}  // namespace tidemill::sandbox
