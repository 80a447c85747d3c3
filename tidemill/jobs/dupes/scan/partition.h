// Partition: files that have their partners among each other and nowhere else, from the table to
// the groups of one content. A search has one, and with --memory several, one after the other.
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
#include "tidemill/jobs/dupes/scan/census.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/search_watch.h"
#include "tidemill/jobs/dupes/scan/sifter.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

// One thread.
class Partition {
 public:
  struct Parts {
    const Options& options;
    const command::Context& context;
    const walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    SearchWatch& watch;
    ScanTotals& totals;               // what is read and found is added
    catalogue::Scan* scan = nullptr;  // its batches look into the table, which must outlive it
    bool may_repeat = false;          // the same name may be in the table twice
  };

  // For so many workers that fill the table.
  Partition(const Parts& parts, std::size_t workers)
      : parts_(parts), table_(workers, parts.options.algorithm) {}

  [[nodiscard]] FileTable& table() { return table_; }
  [[nodiscard]] const FileTable& table() const { return table_; }

  // The files whose contents must be known.
  void choose_candidates();
  void count_candidates();
  // Reads them and finds the groups. Cure::resume: it was stopped; what was read is remembered.
  [[nodiscard]] Result<void> find();

  // For files that were parted from others of their size: the first look at every one for which
  // `is_wanted` holds, once for all of its names.
  [[nodiscard]] Result<void> look(const std::function<bool(const FileRecord&)>& is_wanted);

  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] const Sifted& sifted() const { return sifted_; }

 private:
  [[nodiscard]] CandidateRules rules() const;
  [[nodiscard]] std::uint64_t bytes_of(std::span<const FileIndex> files) const;
  [[nodiscard]] Result<void> read(bool is_first_look);

  const Parts parts_;
  FileTable table_;
  Candidates candidates_;
  Sifted sifted_;
};

}  // namespace tidemill::dupes
