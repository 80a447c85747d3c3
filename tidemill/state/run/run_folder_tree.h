// The tree of files below one folder: how much it takes on disk, and its end. Symlinks are never
// followed. What vanishes meanwhile is no failure: somebody else removed it.
#pragma once

#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::run {

// Blocks on disk, not lengths: a sparse file counts what it takes. What cannot be read counts 0.
[[nodiscard]] Bytes bytes_below(const std::string& folder);

// Removes `name` in the folder `parent` and all that is below it, however deep, with three
// descriptors: subfolders are moved up before they are emptied. Fails with step "remove"; called
// again it goes on.
[[nodiscard]] Result<void> remove_tree(const std::string& parent, const std::string& name);

}  // namespace tidemill::run
