// Sifter: files of one size become groups of one content, in two steps, because most large files
// differ at their ends already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemill/jobs/dupes/scan/candidates.h"
#include "tidemill/jobs/dupes/scan/file_table.h"

namespace tidemill::dupes {

// Groups as ranges of one list.
struct Sifted {
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<FileIndex> files{};
  std::vector<Range> groups{};

  [[nodiscard]] std::span<const FileIndex> group(std::size_t i) const {
    return std::span(files).subspan(groups[i].first, groups[i].count);
  }
  void add(std::span<const FileIndex> members) {
    groups.push_back({.first = static_cast<std::uint32_t>(files.size()),
                      .count = static_cast<std::uint32_t>(members.size())});
    files.insert(files.end(), members.begin(), members.end());
  }
};

// After the first reading: large files that still look alike and whose whole hash is not known,
// in the order of the table.
[[nodiscard]] std::vector<FileIndex> still_alike(const FileTable& table,
                                                 const Candidates& candidates);

// Files of another host that have a size, or both ends, in common with a file that is none of its
// own, and no hash of the whole: their host has to read them.
[[nodiscard]] std::vector<FileIndex> wanted_elsewhere(const FileTable& table,
                                                      const Candidates& candidates);

// After all reading. Within a group, files stand in the order of the table.
[[nodiscard]] Sifted sift(const FileTable& table, const Candidates& candidates);

}  // namespace tidemill::dupes
