// fill_shared: counts the blocks that the files of a group already share, so that they are not
// reported as reclaimable. Only on file systems that can share blocks (btrfs, xfs, bcachefs,
// ocfs2); elsewhere, and for files that cannot be opened or queried, the count is zero. Bytes that
// are not on the disk yet count as not shared.
#pragma once

#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"

namespace tidemill::dupes {

// Whether the file system of an open file or folder is one of those.
[[nodiscard]] bool can_share(int descriptor);

// Sets Copy::shared of every copy on this machine: the blocks that an earlier copy has too, and
// those that are shared with a file outside the group. So removing all copies but the first frees
// their blocks minus the shared ones, except that a block shared both within the group and with a
// file outside it is still counted once.
void fill_shared(Group& group, const DupesOptions& options, PairPlaces& places);

}  // namespace tidemill::dupes
