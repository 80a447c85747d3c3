// freed_bytes: the bytes that are freed on this machine when a file is removed with all of its
// names that were found. A lower bound: blocks that may still be in use elsewhere are not counted.
#pragma once

#include <cstdint>

#include "tidemill/jobs/dupes/report/group.h"

namespace tidemill::dupes {

// Zero for a file of another host, with a name in a reference root, or with a name that was not
// found: that name would keep its blocks in use.
[[nodiscard]] std::uint64_t freed_bytes(const Copy& copy);

}  // namespace tidemill::dupes
