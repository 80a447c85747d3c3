// Overlaps: pairs of folders that have many files in common, by contents.
//
// Only the files directly in a folder are compared, not those below it. Empty files do not count.
//
//   similarity = matching / union = files in both / (all files of both - files in both)
//
// where a file of one folder matches at most one of the other. Folders of the same kind (folders.h)
// are not a pair; the first of them by path represents them all.
//
// A pair is considered only if both have a content that is in at most kMostFolders folders:
// contents that are everywhere (a licence, a template) would make pairs of everything. When a pair
// is measured, every content counts. So the time grows with files x kMostFolders, and only pairs
// that share nothing but such frequent contents are missed. Nothing can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/report/folders.h"

namespace tidemill::dupes {

struct Overlap {
  std::size_t one = 0;    // index of the folder that is first by path
  std::size_t other = 0;  // index of the second
  std::uint64_t matching = 0;
  std::uint64_t all = 0;    // files in the union
  std::uint64_t bytes = 0;  // of the matching files

  [[nodiscard]] double similarity() const {
    return all == 0 ? 0.0 : static_cast<double>(matching) / static_cast<double>(all);
  }
  bool operator==(const Overlap&) const = default;
};

struct Overlaps {
  std::vector<Overlap> pairs{};  // the most matching bytes first
  std::uint64_t left_out = 0;    // pairs beyond kMostPairs, with fewer matching bytes
};

inline constexpr std::size_t kMostFolders = 64;
inline constexpr std::size_t kMostPairs = 16'384;

[[nodiscard]] Overlaps overlaps_of(const Folders& folders, double least);

// The files that do not match, as indexes into the files of each folder, by name.
struct Difference {
  std::vector<std::size_t> only_one{};
  std::vector<std::size_t> only_other{};
  // The same name in both folders, with different contents: index in `one`, index in `other`.
  std::vector<std::pair<std::size_t, std::size_t>> changed{};
};

[[nodiscard]] Difference difference_of(const Folders& folders, const Overlap& overlap);

}  // namespace tidemill::dupes
