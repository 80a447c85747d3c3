// Candidates: the files whose contents must be known, because another file has the same size. Names
// of one inode count as one file: one record represents it, the others are its further names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/scan/file_table.h"

namespace tidemill::dupes {

struct Candidates {
  std::vector<FileIndex> files{};  // by size, largest first; all are marked kWanted
  // Further names: (the record that represents the file, the record of the name), sorted.
  std::vector<std::pair<FileIndex, FileIndex>> names{};
  std::uint64_t bytes = 0;

  [[nodiscard]] std::span<const std::pair<FileIndex, FileIndex>> names_of(FileIndex file) const;
};

struct CandidateRules {
  std::uint64_t least_size = 0;  // smaller files are in the table for other reasons
  // Whether files of one size are candidates; empty: if there are at least two.
  std::function<bool(std::span<const FileIndex>)> is_of_interest{};
  // The same name may have been found twice: roots are nested, or symlinks were followed.
  bool may_repeat = false;
};

[[nodiscard]] Candidates find_candidates(FileTable& table, const CandidateRules& rules = {});

}  // namespace tidemill::dupes
