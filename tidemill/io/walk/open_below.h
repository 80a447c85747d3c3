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

}  // namespace tidemill::walk
