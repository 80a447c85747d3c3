// Restrictions for an external program that reads untrusted bytes, such as a Java virtual machine.
// It is not our code, so it cannot run in a Sandbox, and these restrictions are weaker. The program
//   - can read and execute the `readable` paths and write below the `writable` one, nothing else;
//     without Landlock in the kernel it can access all files of this user
//   - can start processes, which have the same restrictions
//   - cannot open a socket, trace or signal other processes (tgkill is allowed before version 6 of
//     Landlock), mount, or enter a namespace
//   - as root, can read the files of other users, but has no other privilege of root
//   - has limited memory and file sizes (limit_program)
// The caller controls its running time, descriptors and environment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::sandbox {

struct ProgramSandbox {
  std::vector<std::string> readable{};
  std::string writable{};  // a folder, and readable too
};

// Restricts the calling thread and the processes that it starts from then on; other threads of the
// process are not affected. It cannot be undone, so the thread should end after starting the
// program. Fails when PR_SET_NO_NEW_PRIVS or the system call filter cannot be set. Returns whether
// Landlock is in force.
[[nodiscard]] Result<bool> confine_thread(const ProgramSandbox& sandbox_rules);

// Sets the resource limits of a process that has just started.
void limit_program(pid_t pid);

}  // namespace tidemill::sandbox
