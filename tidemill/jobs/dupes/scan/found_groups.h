// FoundGroups: the groups of a scan in the order of the report. It stores only an index and the
// reclaimable bytes per group; paths are built when a group is requested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/jobs/dupes/report/keep.h"
#include "tidemill/jobs/dupes/report/size_classes.h"
#include "tidemill/jobs/dupes/scan/candidates.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/group_builder.h"

namespace tidemill::dupes {

// A root. Lists of roots are ordered by folder.
struct RootFacts {
  walk::FolderId folder = 0;
  std::size_t number = 0;  // among the roots, then the references, then the roots of other hosts
  std::string path{};
  std::string real{};  // path of the folder without symlinks; set if a name may be found twice
  std::string host{};  // empty: this machine
  bool is_reference = false;
};

// One thread. The context must outlive it.
class FoundGroups final : public Groups {
 public:
  struct Context {
    const FileTable& table;
    const walk::FolderTree& tree;
    const Candidates& candidates;
    const BuiltGroups& built;
    const std::vector<RootFacts>& roots;
    const KeepSelector& selector;
    const DupesOptions& options;
  };
  explicit FoundGroups(const Context& context);

  [[nodiscard]] std::size_t size() const override { return order_.size(); }
  [[nodiscard]] Result<void> each(const std::function<bool(const Group&)>& on_group) override;

  [[nodiscard]] std::uint64_t redundant() const { return redundant_; }
  [[nodiscard]] std::uint64_t reclaimable() const { return reclaimable_; }
  [[nodiscard]] const SizeClasses& by_size() const { return by_size_; }

  // A single file of the table with its names.
  [[nodiscard]] Copy copy_of(FileIndex file) const;

 private:
  struct Entry {
    std::uint64_t reclaimable = 0;
    std::uint32_t group = 0;
  };
  [[nodiscard]] const RootFacts& root_of(const FileRecord& record) const;
  [[nodiscard]] const RootFacts& root_numbered(std::size_t number) const;
  [[nodiscard]] bool is_of_interest(std::span<const FileIndex> files) const;
  [[nodiscard]] std::uint64_t weigh(std::uint32_t group) const;
  [[nodiscard]] FileName name_of(const FileRecord& record) const;
  // Removes names that were found twice, through nested roots; a name in a reference root stays.
  void drop_repeated(std::vector<FileName>& names) const;
  [[nodiscard]] Group make(std::uint32_t index) const;
  // Whether files on its device may already share blocks: then each group is checked.
  [[nodiscard]] bool may_share(const FileRecord& record) const;

  const Context context_;
  mutable std::map<std::uint16_t, bool> shares_;  // by device
  std::vector<Entry> order_;
  std::uint64_t redundant_ = 0;
  std::uint64_t reclaimable_ = 0;
  SizeClasses by_size_;
};

}  // namespace tidemill::dupes
