// Leftovers: processes that a run has left behind, found by an entry in their environment.
//
// After a kill -9 of the program its children live on, and a child can leave its process group; but
// what it was started with stays readable in /proc/PID/environ. An entry such as TIDEMILL_RUN=<id>
// marks all of them. Ourselves, and processes we may not read, are passed over.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

// Those whose environment has every one of `entries` ("NAME=value", compared whole). A process that
// overwrote its environment is not found. Fails when /proc cannot be listed, and without a mark to
// look for.
[[nodiscard]] Result<std::vector<pid_t>> marked_processes(const std::vector<std::string>& entries);

// Sends them SIGTERM, waits up to `grace` until they are gone, kills the rest and what they started
// meanwhile. Answers how many there were. One that even SIGKILL does not end within seconds is a
// Failure to retry.
[[nodiscard]] Result<int> end_marked(const std::vector<std::string>& entries,
                                     Instant::duration grace);

}  // namespace tidemill::proc
