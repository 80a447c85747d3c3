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
struct Name {
  std::string path{};         // root as given, '/', path below it: bytes, not text
  std::size_t root = 0;       // index of the root it was found under
  bool is_reference = false;  // under a reference root: never removed or replaced
  bool operator==(const Name&) const = default;
};

// One file: an inode, with all of its names that were found. Names are in the order of the roots,
// then of the bytes of the path.
struct Copy {
  std::vector<Name> names{};
  FileStamp stamp{};
  std::uint64_t blocks = 0;  // of 512 bytes, on the disk
  std::uint64_t shared = 0;  // of these, blocks that another copy of the group has too (reflinks)
  std::uint32_t links = 0;   // names it has in the file system; more than names: some lie elsewhere
  std::string host{};        // empty: this machine. Of another one only the catalogue is here
};

struct Group {
  std::uint64_t number = 0;  // from 1, in the order of the report
  std::uint64_t size = 0;    // of each copy, in bytes
  hash::Digest digest{};
  hash::Algorithm algorithm = hash::Algorithm::xxh3;
  bool is_verified = false;    // compared byte for byte
  std::vector<Copy> copies{};  // the first one is kept, by the keep rules
};

// What removing or sharing all copies but the first would free on this machine: the blocks of each
// whose names were all found, without those that are shared already. A copy with a name in a
// reference root, or of another host, frees nothing.
[[nodiscard]] std::uint64_t reclaimable_bytes(const Group& group);

// All groups of a scan, made one at a time: the paths of a million files are never in memory at
// once. In the order of the report: most reclaimable bytes first, then by size, then by hash.
class Groups {
 public:
  virtual ~Groups() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  // False from `on_group` ends it.
  [[nodiscard]] virtual Result<void> each(const std::function<bool(const Group&)>& on_group) = 0;
};

}  // namespace tidemill::dupes
