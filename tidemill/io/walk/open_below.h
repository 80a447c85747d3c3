// open_below: opens the folder at a path below an open folder. The path may be longer than
// PATH_MAX. Each component must be a folder; a symlink is refused (ELOOP), unless links are
// followed.
#pragma once

#include <string_view>

#include "tidemill/base/descriptor.h"

namespace tidemill::walk {

struct OpenedFolder {
  Descriptor folder{};
  int error = 0;  // errno; 0 on success
};

// `path` is relative and has no ".."; empty opens the folder itself again. The descriptor is
// O_RDONLY | O_DIRECTORY | O_CLOEXEC.
[[nodiscard]] OpenedFolder open_below(int folder, std::string_view path,
                                      bool follows_links = false);
// Follows symlinks that stay below the folder; one that leads out is refused (EXDEV). Without
// openat2, and in a path longer than PATH_MAX, more of them may be refused (ELOOP, EXDEV).
[[nodiscard]] OpenedFolder open_inside(int folder, std::string_view path);

}  // namespace tidemill::walk
