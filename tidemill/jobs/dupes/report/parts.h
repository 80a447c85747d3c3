// The parts of the history of a search: its duplicates by size and by folder. Nothing can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/jobs/dupes/report/size_classes.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/history/part_builder.h"

namespace tidemill::dupes {

// The classes from the smallest to the largest that have groups.
[[nodiscard]] history::HistoryPart part_by_size(const SizeClasses& sizes);

// The copies that a report would remove, by folder: those beyond the first of their group that are
// on this machine and not in a reference root. A file with several names counts in the folder of
// the first.
//
// The folders are cut at the smallest depth below the roots that makes at least kFewFolders of
// them, so that neither one row nor ten thousand are shown. One thread.
class FolderShares {
 public:
  static constexpr std::size_t kMostGroups = 100'000;
  static constexpr std::size_t kMostFolders = 60;
  static constexpr std::size_t kFewFolders = 10;
  static constexpr std::size_t kMostDepth = 4;

  // `roots`: the paths that FileName::root indexes. A name of no root is cut from its beginning.
  explicit FolderShares(std::vector<std::string> roots);

  // False once kMostGroups groups were added: no more are taken.
  bool add(const Group& group);
  [[nodiscard]] history::HistoryPart part() const;

 private:
  const std::vector<std::string> roots_;
  std::vector<history::PartBuilder> depths_;  // cut at depth 1, 2, …
  std::size_t groups_ = 0;
  bool has_more_ = false;
};

// The folder that contains the file, or the one at this depth below the first `root` bytes.
[[nodiscard]] std::string_view folder_at(std::string_view path, std::size_t root,
                                         std::size_t depth);

}  // namespace tidemill::dupes
