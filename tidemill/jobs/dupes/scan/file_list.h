// sweep_list(): the files that a list names, told to the census folder by folder, as a sweep tells
// those of a tree. The list may have millions of names; no more than one folder is open at a time.
//
// A name that cannot be used (it does not exist, may not be looked at, is longer than a path can
// be) is a failure of its own; a folder, a symlink (unless followed) or a device is skipped. The
// same file named twice, in whatever spelling, is told once. Only the hashes of the catalogue are
// asked for: nothing is recorded, and so nothing is ever taken for removed.
#pragma once

#include <stop_token>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/sweep.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/scan/census.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/found_groups.h"

namespace tidemill::dupes {

struct ListParts {
  const Options& options;
  walk::FolderTree& tree;
  Census& census;
  Failures& failures;
  FolderKeys& keys;
};

struct ListSweep {
  walk::SweepReport report{};
  std::vector<RootFacts> roots{};  // each folder of the list is a root of the tree
};

// Cure::resume: it was stopped. Fails when the list cannot be read.
[[nodiscard]] Result<ListSweep> sweep_list(const ListParts& parts, const std::stop_token& stop);

}  // namespace tidemill::dupes
