#include "tidemill/jobs/dupes/report/group.h"

#include <algorithm>
#include <span>

#include "tidemill/jobs/dupes/report/freed.h"

namespace tidemill::dupes {

std::uint64_t freed_bytes(const Copy& copy) {
  constexpr std::uint64_t kBlock = 512;
  if (!copy.host.empty() || copy.links > copy.names.size()) return 0;
  if (std::ranges::any_of(copy.names, &FileName::is_reference)) return 0;
  return (copy.blocks - std::min(copy.shared, copy.blocks)) * kBlock;
}

std::uint64_t reclaimable_bytes(const Group& group) {
  std::uint64_t bytes = 0;
  for (const Copy& copy : std::span(group.copies).subspan(group.copies.empty() ? 0 : 1)) {
    bytes += freed_bytes(copy);
  }
  return bytes;
}

}  // namespace tidemill::dupes
