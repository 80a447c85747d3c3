// leftovers_of: the temporary names that a run of dupes left in the folders it worked in. After a
// `resume` or an `undo` without failures there are none. Reads the journal and the folders, and
// changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run_card.h"

namespace tidemill::dupes {

struct Leftovers {
  static constexpr std::size_t kMost = 1'000;  // most paths in the list

  std::vector<std::string> paths{};
  std::uint64_t count = 0;            // of all, also beyond kMost
  std::vector<std::string> unread{};  // for each folder that could not be read, the reason
};

[[nodiscard]] Result<Leftovers> leftovers_of(const journal::SqliteJournal& journal,
                                             const run::RunCard& card);

}  // namespace tidemill::dupes
