// MadeFolders: the folders that a run made to move files there, as its journal knows them: the
// notes "made.0", "made.1" and so on, of one batch of steps each. A process that is killed before
// it has noted its batch leaves folders that nobody knows, and they stay.
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

  // In the journal when this returns.
  [[nodiscard]] Result<void> add(const std::vector<MadeFolder>& folders,
                                 journal::SqliteJournal& journal);
  [[nodiscard]] const std::vector<MadeFolder>& all() const { return folders_; }

 private:
  std::vector<MadeFolder> folders_;  // parents first
  std::size_t notes_ = 0;
};

// Removes those that are empty, the deepest first. One that holds something stays, and so does
// another folder that has come to the name. The console is told what the system refuses. How many
// were not looked at, because of a stop.
[[nodiscard]] std::size_t remove_empty(const std::vector<MadeFolder>& folders,
                                       const PairTools& tools, command::Console& console);

}  // namespace tidemill::dupes
