// The folders that the hosts of a fleet share. A coordinator publishes each with a name and a
// probe; a worker takes tasks of a run only after it has proved that it sees the same folders,
// where they are mounted on its host (`--map NAME=FOLDER`).
//
// A probe is what the kernel says about the folder and about some of its entries: the inode
// numbers, which are the same on all hosts of a shared file system (NFS, CephFS, Lustre, bind
// mounts), and size and time of the last change. A run may change its files while a late worker
// joins, so not every entry needs to match: the folder itself must, and at least half of the
// sampled entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::fleet {

struct SampledEntry {
  std::string name{};  // in the folder
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed = 0;  // nanoseconds since 1970

  bool operator==(const SampledEntry&) const = default;
};

inline constexpr std::size_t kMostSampled = 16;

struct RootProbe {
  std::uint64_t inode = 0;
  std::vector<SampledEntry> entries{};  // at most kMostSampled

  bool operator==(const RootProbe&) const = default;
};

struct FleetRoot {
  std::string name{};
  std::string path{};  // on the coordinator's host, absolute
  RootProbe probe{};

  bool operator==(const FleetRoot&) const = default;
};

// Where roots are on this host, by name. Others are where the coordinator has them.
using RootMap = std::map<std::string, std::string, std::less<>>;

// NAME=FOLDER, the folder absolute.
[[nodiscard]] Result<RootMap> root_map_of(const std::vector<std::string>& texts);

[[nodiscard]] Result<RootProbe> probe(const std::string& folder);

// The folder on this host, if it is the same one. Otherwise the reason names the root, both folders
// and what differs.
[[nodiscard]] Result<std::string> find_root(const FleetRoot& root, const RootMap& map);

}  // namespace tidemill::fleet
