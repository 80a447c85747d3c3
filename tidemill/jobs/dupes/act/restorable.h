// expect_restorable: whether `undo` could give a file of this folder this metadata again. Tried on
// a file without a name, in that very folder, so the answer is the system's and not a guess: a
// group we are not in, an owner that is not us, a capability, a set-group-id bit that the system
// takes away without a word. What could not come back whole is declined before anything is changed.
//
// Where a file without a name cannot be made (network file systems, no room) the answer follows
// from who we are.
#pragma once

#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

[[nodiscard]] Tried<void> expect_restorable(int folder, const Metadata& metadata);

}  // namespace tidemill::dupes
