// Looks a journal over: is the file whole, and does it say the same everywhere? What nobody would
// ever take up again can be removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::journal {

enum class Depth : std::uint8_t {
  quick,  // passes over the comparison of indexes with their tables
  thorough,
};

// Clean when empty. One sentence each, for a person.
struct CheckReport {
  std::vector<std::string> findings{};
  [[nodiscard]] bool is_clean() const { return findings.empty(); }
};

// Reads the whole file through a connection of its own, and changes nothing; others may go on
// writing. A file too damaged to be read is a finding; one that is missing, busy or no journal is a
// failure. Rows of tasks, notes, waits and checkpoints have checksums; the texts of failures and
// rows that are missing as a whole have none.
[[nodiscard]] Result<CheckReport> check_journal(const std::string& path,
                                                Depth depth = Depth::thorough);

// Removes the checkpoints of tasks that are neither pending nor dead, or not there at all, in one
// transaction, and says how many. For who holds the lock of the run: whoever owned the journal
// before is shut out. A file with damaged pages is refused with Cure::give_up and stays as it is.
[[nodiscard]] Result<std::uint64_t> remove_orphaned_checkpoints(const std::string& path);

}  // namespace tidemill::journal
