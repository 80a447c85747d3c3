// Landlock: the kernel closes the file system to this thread and what it starts, but for some
// paths. There is no way back. A kernel may not have it, or have an older one that knows less.
#pragma once

#include <span>
#include <string>

namespace tidemill::sandbox {

// A file, or a folder with all that is below it. One that is not there is passed over.
struct Opening {
  std::string path{};
  bool is_writable = false;  // else it can be read and run
};

// Everything else is closed: opening, changing, moving; with a newer kernel also TCP, and signals
// and abstract sockets to those outside. Descriptors that are open stay good. False: the kernel
// does not do it. Needs PR_SET_NO_NEW_PRIVS.
[[nodiscard]] bool close_files_but(std::span<const Opening> openings);

}  // namespace tidemill::sandbox
