// Candidates: the files whose contents must be known, because another file has the same size. Names
// of one inode count as one file: one record stands for it, the others are its further names.
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
  std::vector<FileIndex> files{};  // by size, largest first; every one of them is marked kWanted
  // Further names: (the record that stands for the file, the record of the name), sorted.
  std::vector<std::pair<FileIndex, FileIndex>> names{};
  std::uint64_t bytes = 0;

  [[nodiscard]] std::span<const std::pair<FileIndex, FileIndex>> names_of(FileIndex file) const;
};

struct CandidateRules {
  std::uint64_t least_size = 0;  // smaller files are in the table for other reasons
  // What a set of files must have to be of interest; nothing: two files.
  std::function<bool(std::span<const FileIndex>)> is_of_interest{};
  // The same name may have been found twice: roots lie within each other, or links were followed.
  bool may_repeat = false;
};

[[nodiscard]] Candidates find_candidates(FileTable& table, const CandidateRules& rules = {});

}  // namespace tidemill::dupes
