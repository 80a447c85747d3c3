// Group builder: splits files of one size into groups with the same contents, in two steps, because
// most large files already differ at their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemill/jobs/dupes/scan/candidates.h"
#include "tidemill/jobs/dupes/scan/file_table.h"

namespace tidemill::dupes {

// Groups as ranges of one list.
struct BuiltGroups {
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

// After Digester::first(): large files that still may be equal and have no hash of the complete
// contents, in the order of the table.
[[nodiscard]] std::vector<FileIndex> still_alike(const FileTable& table,
                                                 const Candidates& candidates);

// Files of another host that have the same size (large ones: the same ends) as a file of a
// different host, and no hash of the complete contents: their host has to hash them.
[[nodiscard]] std::vector<FileIndex> wanted_elsewhere(const FileTable& table,
                                                      const Candidates& candidates);

// After all hashing. Within a group, files are in the order of the table.
[[nodiscard]] BuiltGroups build_groups(const FileTable& table, const Candidates& candidates);

}  // namespace tidemill::dupes
