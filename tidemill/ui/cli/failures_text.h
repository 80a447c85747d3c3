// The failures of a run, grouped by their reason: the table below a summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::cli {

// Empty without a group. `dead` is how many there are in all: the groups are the most frequent
// ones.
[[nodiscard]] std::string failures_text(const std::vector<journal::FailureGroup>& groups,
                                        std::uint64_t dead, std::optional<std::size_t> width);

}  // namespace tidemill::cli
