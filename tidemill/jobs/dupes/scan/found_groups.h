// FoundGroups: the groups of a scan in the order of the report. What is kept for each is a number
// and a range; paths are made when a group is asked for.
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
#include "tidemill/jobs/dupes/scan/candidates.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/sifter.h"

namespace tidemill::dupes {

// What is known of a root. In a list they stand in the order of their folders.
struct RootFacts {
  walk::FolderId folder = 0;
  std::size_t number = 0;  // in what the user gave: roots, then references, then other hosts
  std::string path{};
  std::string real{};  // of the folder, without symlinks; set where the same name may come twice
  std::string host{};  // empty: this machine
  bool is_reference = false;
};

// One thread; what it refers to must outlive it.
class FoundGroups final : public Groups {
 public:
  struct Parts {
    const FileTable& table;
    const walk::FolderTree& tree;
    const Candidates& candidates;
    const Sifted& sifted;
    const std::vector<RootFacts>& roots;
    const Keeper& keeper;
    const Options& options;
  };
  explicit FoundGroups(const Parts& parts);

  [[nodiscard]] std::size_t size() const override { return order_.size(); }
  [[nodiscard]] Result<void> each(const std::function<bool(const Group&)>& on_group) override;

  [[nodiscard]] std::uint64_t redundant() const { return redundant_; }
  [[nodiscard]] std::uint64_t reclaimable() const { return reclaimable_; }

  // A single file with its names, as of the table.
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
  [[nodiscard]] Name name_of(const FileRecord& record) const;
  // Of names that were found twice, through roots within each other, one stays: the reference.
  void drop_repeated(std::vector<Name>& names) const;
  [[nodiscard]] Group make(std::uint32_t index) const;
  // Whether files on its device may share blocks already: then each group is looked at.
  [[nodiscard]] bool may_share(const FileRecord& record) const;

  const Parts parts_;
  mutable std::map<std::uint16_t, bool> shares_;  // by device
  std::vector<Entry> order_;
  std::uint64_t redundant_ = 0;
  std::uint64_t reclaimable_ = 0;
};

}  // namespace tidemill::dupes
