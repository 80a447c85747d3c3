// The code of the child processes: the fork server and the sandboxes forked from it. Neither
// function returns, not even by an exception, because that would continue in the code that forked,
// as a second copy of the program. An escaping exception ends the process (SIGABRT).
#pragma once

#include <sys/types.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/sandbox/fork_server.h"

namespace tidemill::sandbox {

// Forks a sandbox for every message on `control` and reports on its status socket how it ended. At
// the end of `control`, kills all sandboxes and exits.
[[noreturn]] void run_fork_server(Descriptor control, pid_t parent, const Serve& serve,
                                  const SandboxLimits& limits) noexcept;

// Confines the process, sends Ready, then serves requests until the end of `talk`.
[[noreturn]] void run_sandbox(Descriptor talk, pid_t parent, const Serve& serve,
                              const SandboxLimits& limits) noexcept;

// Has the kernel kill this process when its parent ends; exits if the parent has already ended.
void end_with(pid_t parent);

// Closes every descriptor above 2 except `kept`.
void close_all_but(int kept);

}  // namespace tidemill::sandbox
