// folders_of: what a scan found, folder by folder, for those who compare folders.
#pragma once

#include <vector>

#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/sifter.h"

namespace tidemill::dupes {

// `incomplete`: folders in which something was left out or could not be looked at. Folders of other
// hosts are not in it.
[[nodiscard]] Folders folders_of(const FileTable& table, const walk::FolderTree& tree,
                                 const Sifted& sifted,
                                 const std::vector<walk::FolderId>& incomplete);

}  // namespace tidemill::dupes
