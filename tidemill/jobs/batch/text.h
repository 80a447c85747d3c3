// Formats the outcome of a `batch` run as text and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/jobs/batch/batch.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::batch {

[[nodiscard]] std::string text_of(const BatchOutcome& outcome, const std::string& run,
                                  const std::vector<journal::FailureGroup>& groups,
                                  std::optional<std::size_t> width);
// One object on one line; docs/formats/output.md describes the fields.
[[nodiscard]] std::string json_of(const BatchOutcome& outcome, const std::string& run,
                                  const std::vector<journal::FailureGroup>& groups);

}  // namespace tidemill::batch
