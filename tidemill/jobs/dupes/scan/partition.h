// Partition: a set of files that have duplicates only among each other, and the way from their
// table to the groups. A search has one; with --memory it has several, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/totals.h"
#include "tidemill/jobs/dupes/scan/candidates.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/group_builder.h"
#include "tidemill/jobs/dupes/scan/scan_collector.h"
#include "tidemill/jobs/dupes/scan/search_watch.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

// One thread.
class Partition {
 public:
  struct Context {
    const DupesOptions& options;
    const command::Context& context;
    const walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    SearchWatch& watch;
    ScanTotals& totals;               // updated
    catalogue::Scan* scan = nullptr;  // its batches refer to the table, which must outlive it
    bool may_repeat = false;          // the same name may be in the table twice
  };

  // `workers` is the number of threads that fill the table.
  Partition(const Context& context, std::size_t workers)
      : context_(context), table_(workers, context.options.algorithm) {}

  [[nodiscard]] FileTable& table() { return table_; }
  [[nodiscard]] const FileTable& table() const { return table_; }

  void choose_candidates();
  void count_candidates();
  // Hashes the candidates and builds the groups. Cure::resume: stopped; the hashes so far are in
  // the catalogue.
  [[nodiscard]] Result<void> find();

  // If files of one size are in several partitions: the first stage of hashing for every file for
  // which `is_wanted` holds, once for all of its names.
  [[nodiscard]] Result<void> look(const std::function<bool(const FileRecord&)>& is_wanted);

  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] const BuiltGroups& built() const { return built_; }

 private:
  [[nodiscard]] CandidateRules rules() const;
  [[nodiscard]] std::uint64_t bytes_of(std::span<const FileIndex> files) const;
  [[nodiscard]] Result<void> read(bool is_first_look);

  const Context context_;
  FileTable table_;
  Candidates candidates_;
  BuiltGroups built_;
};

}  // namespace tidemill::dupes
