// open_below: the folder at a path below an open one, whatever its length. Each part of the way
// must be a folder; a symlink on it is refused (ELOOP), unless links are followed.
#pragma once

#include <string_view>

#include "tidemill/base/descriptor.h"

namespace tidemill::walk {

struct OpenedFolder {
  Descriptor folder{};
  int error = 0;  // errno; 0: it is open
};

// `path` is relative and has no ".."; empty: the folder itself, opened anew. The descriptor is
// O_RDONLY | O_DIRECTORY | O_CLOEXEC.
[[nodiscard]] OpenedFolder open_below(int folder, std::string_view path,
                                      bool follows_links = false);

}  // namespace tidemill::walk
