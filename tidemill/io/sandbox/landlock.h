// Landlock: the kernel denies this thread and its children access to the file system, except for a
// list of paths. It cannot be undone. Older kernels have no Landlock, or a version that covers
// less.
#pragma once

#include <span>
#include <string>

namespace tidemill::sandbox {

// A file, or a folder with everything below it. A path that does not exist is skipped.
struct AllowedPath {
  std::string path{};
  bool is_writable = false;  // false: it can be read and executed
};

// Denies opening, changing and moving everything else; on newer kernels also TCP, and signals and
// abstract sockets to processes outside. Open descriptors stay usable. Returns false if the kernel
// does not support it. Requires PR_SET_NO_NEW_PRIVS.
[[nodiscard]] bool close_files_but(std::span<const AllowedPath> openings);

}  // namespace tidemill::sandbox
