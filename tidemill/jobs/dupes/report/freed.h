// freed_bytes: what this machine wins when one file goes with all of its names that were found.
// A lower bound: what may still be held by somebody else is not counted.
#pragma once

#include <cstdint>

#include "tidemill/jobs/dupes/report/group.h"

namespace tidemill::dupes {

// Nothing for a file of another host, with a name in a reference root, or with a name that was not
// found: that name would hold its blocks.
[[nodiscard]] std::uint64_t freed_bytes(const Copy& copy);

}  // namespace tidemill::dupes
