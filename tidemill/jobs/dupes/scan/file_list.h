// sweep_list(): passes the files that a list names to the collector, folder by folder, as a sweep
// does with those of a tree. The list may have millions of names; only one folder is open at a
// time.
//
// A name that cannot be used (it does not exist, cannot be examined, or is longer than a path may
// be) is a failure of its own; a folder, a symlink (unless followed) or a device is skipped. A name
// that is listed twice, in whatever spelling, is passed once. The catalogue is only read, for its
// hashes: nothing is recorded, so nothing is ever marked as removed.
#pragma once

#include <stop_token>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/sweep.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/found_groups.h"
#include "tidemill/jobs/dupes/scan/scan_collector.h"

namespace tidemill::dupes {

struct ListContext {
  const DupesOptions& options;
  walk::FolderTree& tree;
  ScanCollector& collector;
  Failures& failures;
  FolderKeys& keys;
};

struct ListSweep {
  walk::SweepReport report{};
  std::vector<RootFacts> roots{};  // each folder of the list is a root of the tree
};

// Cure::resume: stopped. Fails if the list cannot be read.
[[nodiscard]] Result<ListSweep> sweep_list(const ListContext& context, const std::stop_token& stop);

}  // namespace tidemill::dupes
