// Group: files with the same contents, as reports, rules and actions see them. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::dupes {

// One name of a file.
struct FileName {
  std::string path{};         // root as given, '/', path below it: bytes, not text
  std::size_t root = 0;       // index of the root it was found under
  bool is_reference = false;  // under a reference root: never removed or replaced
  bool operator==(const FileName&) const = default;
};

// One file: an inode, with all of its names that were found. Names are in the order of the roots,
// then of the bytes of the path.
struct Copy {
  std::vector<FileName> names{};
  FileStamp stamp{};
  std::uint64_t blocks = 0;  // of 512 bytes, on the disk
  std::uint64_t shared = 0;  // of these, shared already with other files (act/extents.h)
  std::uint32_t links = 0;   // link count; more than `names`: some names were not found
  std::string host{};        // empty: this machine; otherwise known from that host's catalogue
};

struct Group {
  std::uint64_t number = 0;  // from 1, in the order of the report
  std::uint64_t size = 0;    // of each copy, in bytes
  hash::Digest digest{};
  hash::Algorithm algorithm = hash::Algorithm::xxh3;
  bool is_verified = false;    // compared byte for byte
  std::vector<Copy> copies{};  // the first one is kept, by the keep rules
};

// The bytes that removing or sharing all copies but the first would free on this machine: the
// blocks of each copy whose names were all found, without those that are shared already. A copy
// with a name in a reference root, or of another host, frees nothing.
[[nodiscard]] std::uint64_t reclaimable_bytes(const Group& group);

// All groups of a scan, built one at a time: the paths of a million files are never in memory at
// once. In the order of the report: most reclaimable bytes first, then by size, then by hash.
class Groups {
 public:
  virtual ~Groups() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Ends early when `on_group` returns false.
  [[nodiscard]] virtual Result<void> each(const std::function<bool(const Group&)>& on_group) = 0;
};

}  // namespace tidemill::dupes
