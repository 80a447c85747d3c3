// fill_shared: which blocks of a group's files are shared already, so that nobody promises to free
// them. Only on file systems that can share (btrfs, xfs, bcachefs, ocfs2); elsewhere, and for files
// that cannot be asked, nothing is shared. Bytes that are not on the disk yet count as not shared.
#pragma once

#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"

namespace tidemill::dupes {

// Whether the file system of an open file or folder is one of those.
[[nodiscard]] bool can_share(int descriptor);

// Copy::shared of every copy on this machine: the blocks that a copy before it has too, and those
// that are shared with a file outside the group. So the blocks of all copies but the first, without
// the shared ones, are what goes when these copies go; blocks shared both with the group and with
// the outside are still counted once.
void fill_shared(Group& group, const Options& options, Places& places);

}  // namespace tidemill::dupes
