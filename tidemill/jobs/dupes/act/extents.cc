#include "tidemill/jobs/dupes/act/extents.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/act/pair/side.h"
#include "tidemill/jobs/dupes/act/plan.h"

namespace tidemill::dupes {
namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint32_t kAtOnce = 128;
constexpr long kXfs = 0x58465342;
constexpr long kBcachefs = static_cast<long>(0xca451a4eU);
constexpr long kOcfs2 = 0x7461636f;

struct Extent {
  std::uint64_t begin = 0;  // on the disk, in bytes
  std::uint64_t end = 0;
  bool is_shared = false;  // the kernel does not say with which file
};

std::vector<Extent> extents_of(int file) {
  std::vector<Extent> extents;
  std::vector<std::byte> bytes(sizeof(fiemap) + kAtOnce * sizeof(fiemap_extent));
  auto* const answer = reinterpret_cast<fiemap*>(bytes.data());  // NOLINT: the kernel's layout
  for (std::uint64_t from = 0;;) {
    answer->fm_start = from;
    answer->fm_length = ~std::uint64_t{0} - from;
    answer->fm_extent_count = kAtOnce;
    if (::ioctl(file, FS_IOC_FIEMAP, answer) != 0) return {};
    if (answer->fm_mapped_extents == 0) return extents;
    for (std::uint32_t i = 0; i < answer->fm_mapped_extents; ++i) {
      const fiemap_extent& extent = answer->fm_extents[i];
      from = extent.fe_logical + extent.fe_length;
      constexpr std::uint32_t kNowhere =
          FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;
      if ((extent.fe_flags & kNowhere) == 0) {
        extents.push_back({.begin = extent.fe_physical,
                           .end = extent.fe_physical + extent.fe_length,
                           .is_shared = (extent.fe_flags & FIEMAP_EXTENT_SHARED) != 0});
      }
      if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return extents;
    }
  }
}

// The start or the end of an extent of a copy.
struct Edge {
  std::uint64_t at = 0;
  bool is_begin = false;
  bool is_shared = false;
  std::size_t copy = 0;
};

std::vector<Edge> edges_of(Group& group, const DupesOptions& options, PairPlaces& places) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < group.copies.size(); ++i) {
    Copy& copy = group.copies[i];
    copy.shared = 0;
    if (!copy.host.empty() || copy.names.empty()) continue;
    const auto side = open_side(places, site_of(copy.names.front(), options), "the file");
    if (!side || !can_share(side->file.number())) continue;
    for (const Extent& extent : extents_of(side->file.number())) {
      edges.push_back(
          {.at = extent.begin, .is_begin = true, .is_shared = extent.is_shared, .copy = i});
      edges.push_back({.at = extent.end, .is_shared = extent.is_shared, .copy = i});
    }
  }
  std::ranges::sort(edges, {}, &Edge::at);
  return edges;
}

// The number of extents of a copy at the current position of the sweep.
struct Over {
  int extents = 0;
  int shared = 0;  // of these
};

}  // namespace

bool can_share(int descriptor) {
  struct statfs seen{};
  if (::fstatfs(descriptor, &seen) != 0) return false;
  const long type = seen.f_type;
  return type == BTRFS_SUPER_MAGIC || type == kXfs || type == kBcachefs || type == kOcfs2;
}

// A sweep over disk positions: where extents of several copies overlap, all but the first copy
// count as shared; where a shared extent is alone, the other file is outside the group.
void fill_shared(Group& group, const DupesOptions& options, PairPlaces& places) {
  std::vector<std::uint64_t> bytes(group.copies.size());
  std::map<std::size_t, Over> over;
  std::uint64_t from = 0;
  for (const Edge& edge : edges_of(group, options, places)) {
    const std::uint64_t length = edge.at - std::exchange(from, edge.at);
    for (auto at = over.begin(); length > 0 && at != over.end(); ++at) {
      const bool is_foreign = over.size() == 1 && at->second.shared > 0;
      if (at != over.begin() || is_foreign) bytes[at->first] += length;
    }
    Over& here = over[edge.copy];
    const int change = edge.is_begin ? 1 : -1;
    here.extents += change;
    here.shared += edge.is_shared ? change : 0;
    if (here.extents == 0) over.erase(edge.copy);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Copy& copy = group.copies[i];
    copy.shared = std::min(bytes[i] / kBlock, copy.blocks);
  }
}

}  // namespace tidemill::dupes
