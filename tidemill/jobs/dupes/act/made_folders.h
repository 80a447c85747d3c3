// MadeFolders: the folders that a run created as targets of moves, as recorded in its journal: the
// notes "made.0", "made.1" and so on, one per batch of steps. Folders of a batch that was not
// recorded because the process was killed are never removed.
#pragma once

#include <cstddef>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

// One thread.
class MadeFolders {
 public:
  [[nodiscard]] static Result<MadeFolders> read(const journal::SqliteJournal& journal);

  // The folders are in the journal when this returns.
  [[nodiscard]] Result<void> add(const std::vector<MadeFolder>& folders,
                                 journal::SqliteJournal& journal);
  [[nodiscard]] const std::vector<MadeFolder>& all() const { return folders_; }

 private:
  std::vector<MadeFolder> folders_;  // parents first
  std::size_t notes_ = 0;
};

// Removes the empty ones, the deepest first. A folder that is not empty stays, and so does a
// different folder that has taken the name. Reports other failures on the console. Returns how many
// were not checked because of a stop.
[[nodiscard]] std::size_t remove_empty(const std::vector<MadeFolder>& folders,
                                       const PairTools& tools, command::Console& console);

}  // namespace tidemill::dupes
