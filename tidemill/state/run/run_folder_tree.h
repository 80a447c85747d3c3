// Measures and removes the file tree below a folder. Symlinks are never followed. Files that
// disappear in the meantime are not a failure: another process removed them.
#pragma once

#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::run {

// The space on disk, not the file lengths: a sparse file counts only its blocks. Unreadable folders
// count 0.
[[nodiscard]] Bytes bytes_below(const std::string& folder);

// Removes `name` in the folder `parent` and everything below it, at any depth, with three
// descriptors: subfolders are moved up before they are emptied. Fails with step "remove"; another
// call continues.
[[nodiscard]] Result<void> remove_tree(const std::string& parent, const std::string& name);

}  // namespace tidemill::run
