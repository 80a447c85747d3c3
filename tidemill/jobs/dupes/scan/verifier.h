// Verifier: compares the files of each group byte for byte, so that a group is what it says
// whatever the hash. A group that turns out to be several is split; a file that cannot be read, or
// has changed, leaves its group and is told to the failures. Files of other hosts stay where they
// are.
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
#include "tidemill/jobs/dupes/scan/sifter.h"

namespace tidemill::dupes {

struct VerifyParts {
  FileTable& table;
  const walk::FolderTree& tree;
  Failures& failures;
  std::size_t threads = 0;  // 0: as many as the disk needs
};

struct Verified {
  Sifted groups{};
  std::uint64_t bytes_read = 0;
};

// Cure::resume: it was stopped.
[[nodiscard]] Result<Verified> verify(const VerifyParts& parts, const Sifted& groups,
                                      const std::stop_token& stop);

}  // namespace tidemill::dupes
