// Verifies a journal: that the file is intact and its tables agree with each other. Also removes
// checkpoints that no task will ever use again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::journal {

enum class Depth : std::uint8_t {
  quick,  // does not compare indexes with their tables
  thorough,
};

// Clean when empty. Each finding is one sentence for a person.
struct CheckReport {
  std::vector<std::string> findings{};
  [[nodiscard]] bool is_clean() const { return findings.empty(); }
};

// Reads the entire file through its own connection and changes nothing; other processes may keep
// writing. A file too damaged to be read is a finding; a file that is missing, busy or not a
// journal is a failure. Checksums cover the rows of tasks, notes, waits and checkpoints. They do
// not cover the texts of failures, and they cannot show that a row is missing.
[[nodiscard]] Result<CheckReport> check_journal(const std::string& path,
                                                Depth depth = Depth::thorough);

// Removes the checkpoints of tasks that are neither pending nor dead, or do not exist, in one
// transaction, and returns how many. The caller must hold the lock of the run: the call takes
// ownership, so later commits of the previous owner are refused. A file with damaged pages is
// refused with Cure::give_up and is not changed.
[[nodiscard]] Result<std::uint64_t> remove_orphaned_checkpoints(const std::string& path);

}  // namespace tidemill::journal
