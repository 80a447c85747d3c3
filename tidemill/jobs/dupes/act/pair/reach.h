// Reach: who can put another file at a name without being allowed to write to the file: the owner
// of a folder on the way to it, and everybody who may write to one, unless it is sticky. Root and
// the file's owner do not count, nor does a group that may write to the file itself.
//
// What root deletes, or moves, must not end up in reach of somebody who could not reach it before.
// An ACL that lets others write to a folder counts as everybody.
#pragma once

#include "tidemill/jobs/dupes/act/pair/file.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"
#include "tidemill/jobs/dupes/act/pair/side.h"

namespace tidemill::dupes {

// The file `there`, in the open folder `place`, is in reach of nobody who could not reach `here`,
// or write to it.
[[nodiscard]] Tried<bool> is_within_reach(int place, const Look& there, const Side& here);

}  // namespace tidemill::dupes
