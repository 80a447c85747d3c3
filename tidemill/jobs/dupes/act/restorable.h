// expect_restorable: whether `undo` could give a file in this folder this metadata again. Tested on
// an unnamed file (O_TMPFILE) in the same folder, so the kernel decides and nothing is guessed: a
// group we are not a member of, another owner, a capability, a set-group-id bit that is cleared
// silently. If the metadata could not be restored completely, the step is declined before anything
// is changed.
//
// Where an unnamed file cannot be created (network file systems, a full disk), the answer is
// derived from our user and groups.
#pragma once

#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

[[nodiscard]] Tried<void> expect_restorable(int folder, const Metadata& metadata);

}  // namespace tidemill::dupes
