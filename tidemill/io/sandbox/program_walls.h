// Walls around a program that reads hostile bytes and is not ours, so that it cannot be a cell: a
// Java virtual machine. They are lower than a cell's. It can
//   - open files of the `readable` paths, write below the `writable` one, and nowhere else; where
//     the kernel has no Landlock, all that this user can
//   - start processes, which have the same walls
//   - not have a socket, trace or signal other processes (tgkill passes below version 6 of
//     Landlock), mount, or enter a namespace
//   - as root: read files of others, and nothing else that root may
//   - take so much memory and write so large files (limit_program)
// Its time, its descriptors and its environment are up to whoever starts it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::sandbox {

struct ProgramWalls {
  std::vector<std::string> readable{};
  std::string writable{};  // a folder
};

// Raises them around the calling thread and what it starts from then on; other threads of the
// process stay free. The thread is good for nothing else any more and should end. Fails when the
// list of system calls cannot be set. True: with Landlock.
[[nodiscard]] Result<bool> confine_thread(const ProgramWalls& walls);

// For a process that has just started.
void limit_program(pid_t pid);

}  // namespace tidemill::sandbox
