// Verifier: compares the files of each group byte for byte, so that groups do not depend on the
// hash. A group with different contents is split; a file that cannot be read, or has changed, is
// removed from its group and added to the failures. Files of other hosts are not compared; they
// stay with the first file of their group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/group_builder.h"

namespace tidemill::dupes {

struct VerifyContext {
  FileTable& table;
  const walk::FolderTree& tree;
  Failures& failures;
  std::size_t threads = 0;  // 0: as many as the disk needs
};

struct Verified {
  BuiltGroups groups{};
  std::uint64_t bytes_read = 0;
};

// Cure::resume: stopped.
[[nodiscard]] Result<Verified> verify(const VerifyContext& context, const BuiltGroups& groups,
                                      const std::stop_token& stop);

}  // namespace tidemill::dupes
