// The table of failures below a summary, grouped by reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::cli {

// Empty if there are no groups. `dead` is the total number of failures; `groups` are only the most
// frequent ones.
[[nodiscard]] std::string failures_text(const std::vector<journal::FailureGroup>& groups,
                                        std::uint64_t dead, std::optional<std::size_t> width);

}  // namespace tidemill::cli
