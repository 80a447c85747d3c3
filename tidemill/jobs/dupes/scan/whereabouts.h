// Whereabouts: where the files of a table are, for somebody who reads them one after the other. The
// folder of the last one stays open for the next. Fails as io/hash/reader.h does: kind not_found
// when the folder is no more, unreadable otherwise.
#pragma once

#include <cerrno>

#include "tidemill/base/result.h"
#include "tidemill/base/system_text.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/scan/file_table.h"

namespace tidemill::dupes {

// One thread.
class Whereabouts {
 public:
  Whereabouts(const FileTable& table, const walk::FolderTree& tree) : table_(table), tree_(tree) {}

  // Good until the next call.
  [[nodiscard]] Result<hash::Place> of(const FileRecord& record) {
    if (record.folder != folder_) {
      opened_ = tree_.open(record.folder);
      folder_ = record.folder;
    }
    if (opened_.error != 0) {
      const bool is_gone = opened_.error == ENOENT || opened_.error == ENOTDIR;
      return fail(Cure::give_up, is_gone ? FailureKind::not_found : FailureKind::unreadable,
                  is_gone ? "gone" : "open", system_text(opened_.error));
    }
    return hash::Place{.folder = opened_.folder.number(),
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
