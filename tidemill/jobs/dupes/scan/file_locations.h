// FileLocations: the open folder and the name of each file of a table, for a caller that reads them
// one after the other. The folder stays open for the next file. Fails like io/hash/reader.h: kind
// not_found if the folder no longer exists, unreadable otherwise.
#pragma once

#include <cerrno>

#include "tidemill/base/result.h"
#include "tidemill/base/system_text.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/scan/file_table.h"

namespace tidemill::dupes {

// One thread.
class FileLocations {
 public:
  FileLocations(const FileTable& table, const walk::FolderTree& tree)
      : table_(table), tree_(tree) {}

  // Valid until the next call.
  [[nodiscard]] Result<hash::FilePlace> of(const FileRecord& record) {
    if (record.folder != folder_) {
      opened_ = tree_.open(record.folder);
      folder_ = record.folder;
    }
    if (opened_.error != 0) {
      const bool is_gone = opened_.error == ENOENT || opened_.error == ENOTDIR;
      return fail(Cure::give_up, is_gone ? FailureKind::not_found : FailureKind::unreadable,
                  is_gone ? "gone" : "open", system_text(opened_.error));
    }
    return hash::FilePlace{.folder = opened_.folder.number(),
                           .name = table_.name(record),
                           .stamp = table_.stamp(record),
                           .is_link = record.has(kViaLink)};
  }

 private:
  const FileTable& table_;
  const walk::FolderTree& tree_;
  walk::FolderId folder_ = walk::kNoFolder;
  walk::OpenedFolder opened_{};
};

}  // namespace tidemill::dupes
