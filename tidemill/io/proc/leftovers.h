// Leftovers: finds and ends processes that an earlier run has left behind, by an entry in their
// environment.
//
// After a kill -9 of the program its children keep running, and a child can leave its process
// group; but its initial environment stays readable in /proc/PID/environ. An entry such as
// TIDEMILL_RUN=<id> marks all of them. This process and processes that may not be read are skipped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

// The processes whose environment contains all of `entries` (exact "NAME=value" strings). A process
// that overwrote its environment is not found. Fails when /proc cannot be listed, and when
// `entries` is empty or has an invalid entry.
[[nodiscard]] Result<std::vector<pid_t>> marked_processes(const std::vector<std::string>& entries);

// Sends them SIGTERM, waits up to `grace` for their end, then kills the rest and any processes that
// they have started since. Returns how many there were. Fails with Cure::retry when a process
// survives SIGKILL for several seconds.
[[nodiscard]] Result<int> end_marked(const std::vector<std::string>& entries,
                                     Instant::duration grace);

}  // namespace tidemill::proc
