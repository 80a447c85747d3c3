// Search: one search for duplicates, from the roots to the groups.
//
//   sweep ─► table ─► same size ─► hash (small: all, large: ends) ─► large: all ─► groups
//              ▲                        │
//        catalogue: unchanged files are not read; new hashes are stored
//
// The source files of this job, in the order of the data flow: options, verb; scan_collector and
// file_table; partition: candidates, digester, group_builder, verifier; found_groups; keep;
// report_*; and for actions: plan, pair, act, undo. With --memory: partitions, partition_file,
// partitioned_*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/sweep.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/report/totals.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/found_groups.h"
#include "tidemill/jobs/dupes/scan/partition.h"
#include "tidemill/jobs/dupes/scan/partitions.h"
#include "tidemill/jobs/dupes/scan/scan_collector.h"
#include "tidemill/jobs/dupes/scan/search_watch.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

// One thread.
class Search {
 public:
  // `options` and `context` must outlive it. Fails with kind usage if a keep rule or a glob is
  // invalid.
  [[nodiscard]] static Result<std::unique_ptr<Search>> make(const DupesOptions& options,
                                                            const command::Context& context);
  ~Search();

  // Cure::resume: stopped; the hashes so far are in the catalogue.
  [[nodiscard]] Result<void> run();

  // After run():
  [[nodiscard]] Groups& groups();
  [[nodiscard]] const ScanTotals& totals() const { return totals_; }
  [[nodiscard]] const Failures& failures() const { return failures_; }
  // The number of tables that were filled, one after the other.
  [[nodiscard]] std::size_t passes() const {
    return partitions_ != nullptr ? partitions_->passes() : 1;
  }

  // The rest is for a search without options.memory: with it there is no table of all files.

  // The files that have no copy, ordered by path. A failure is that of `on_file`.
  [[nodiscard]] Result<void> each_unique(
      const std::function<Result<void>(const Copy&)>& on_file) const;
  // For --folders.
  [[nodiscard]] Folders folders() const;
  // Files that other hosts must hash before they can be compared.
  [[nodiscard]] const std::vector<FileIndex>& wanted() const { return wanted_; }
  [[nodiscard]] Copy copy_of(FileIndex file) const { return groups_->copy_of(file); }

 private:
  Search(const DupesOptions& options, const command::Context& context, KeepSelector selector);
  [[nodiscard]] Result<void> choose_roots();
  [[nodiscard]] Result<void> begin_scan();
  [[nodiscard]] Result<void> make_partitions();
  [[nodiscard]] Result<void> sweep();
  [[nodiscard]] Result<void> sweep_names();  // of options.files_from
  [[nodiscard]] Result<void> find();         // the groups, in one table
  void count(Instant began);

  const DupesOptions& options_;
  const command::Context& context_;
  const std::size_t sweepers_;
  KeepSelector selector_;
  std::vector<RootFacts> roots_;
  std::vector<std::string> real_;  // paths of the local roots, without symlinks
  bool may_repeat_ = false;        // roots are nested
  Failures failures_;
  walk::FolderTree tree_;
  FolderKeys keys_;
  SearchWatch watch_;
  walk::SweepReport swept_;
  std::vector<walk::FolderId> incomplete_;
  std::vector<FileIndex> wanted_;
  ScanTotals totals_;
  std::unique_ptr<Partition> whole_;        // all files; with options.memory it stays empty
  std::unique_ptr<Partitions> partitions_;  // of options.memory
  std::unique_ptr<FoundGroups> groups_;     // of whole_
  std::unique_ptr<catalogue::Scan> scan_;   // last: its batches refer to the tables
};

}  // namespace tidemill::dupes
