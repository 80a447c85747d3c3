// share_blocks: lets a duplicate share the blocks of the kept file. The kernel compares the bytes
// and shares them in one go, with both files locked, so nothing can come in between; neither file
// changes in any way that can be seen.
#pragma once

#include <cstdint>
#include <stop_token>

#include "tidemill/jobs/dupes/pair_refusal.h"

namespace tidemill::dupes {

// Declined: the bytes differ, or the file system cannot share.
[[nodiscard]] Tried<void> share_blocks(int kept, int duplicate, std::uint64_t size,
                                       const std::stop_token& stop);

}  // namespace tidemill::dupes
