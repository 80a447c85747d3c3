// Reach: the users who can replace a file without permission to write to it: the owners of the
// folders on its path, and everyone who may write to one of these folders, unless it is sticky.
// Root and the file's owner do not count, nor does a group that may write to the file itself.
//
// When root deletes or moves a file, no user may gain control over its contents who had none
// before. An ACL that lets others write to a folder counts as writable for everyone.
#pragma once

#include "tidemill/jobs/dupes/act/pair/file.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"
#include "tidemill/jobs/dupes/act/pair/side.h"

namespace tidemill::dupes {

// True: every user who can replace the file `there`, in the open folder `place`, can also replace
// `here` or write to it.
[[nodiscard]] Tried<bool> is_within_reach(int place, const FileFacts& there, const PairSide& here);

}  // namespace tidemill::dupes
