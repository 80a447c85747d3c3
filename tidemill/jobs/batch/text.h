// How a run of `batch` went, for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/jobs/batch/batch.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::batch {

[[nodiscard]] std::string text_of(const Outcome& outcome, const std::string& run,
                                  const std::vector<journal::FailureGroup>& groups,
                                  std::optional<std::size_t> width);
// One object, one line; docs/formats/output.md has its fields.
[[nodiscard]] std::string json_of(const Outcome& outcome, const std::string& run,
                                  const std::vector<journal::FailureGroup>& groups);

}  // namespace tidemill::batch
