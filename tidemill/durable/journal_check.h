// Looks a journal over: is the file whole, and does it say the same everywhere?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::durable {

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
// failure. SQLite keeps no checksums: bytes changed inside a name or a result are not noticed.
[[nodiscard]] Result<CheckReport> check_journal(const std::string& path,
                                                Depth depth = Depth::thorough);

}  // namespace tidemill::durable
