// What runs in the child processes: the nursery and, forked from it, a cell. Neither comes back,
// not even by an exception: that would go on in the code that forked, as a second program. It ends
// the process (SIGABRT).
#pragma once

#include <sys/types.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/sandbox/nursery.h"

namespace tidemill::sandbox {

// Forks a cell for every message on `control`, says on its status socket how it ended, and ends
// with all of them when `control` does.
[[noreturn]] void keep_nursery(Descriptor control, pid_t parent, const Serve& serve,
                               const CellLimits& limits) noexcept;

// Confines itself, says Ready, then serves until `talk` ends.
[[noreturn]] void live_in_cell(Descriptor talk, pid_t parent, const Serve& serve,
                               const CellLimits& limits) noexcept;

// Kills this process when its parent ends, and now if it has already.
void end_with(pid_t parent);

// Closes every descriptor above 2 but this one.
void close_all_but(int kept);

}  // namespace tidemill::sandbox
