// How a run of `batch` went, for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/durable/sqlite_journal.h"
#include "tidemill/jobs/batch/batch.h"

namespace tidemill::cli {

[[nodiscard]] std::string text_of(const batch::Outcome& outcome, const std::string& run,
                                  const std::vector<durable::FailureGroup>& groups,
                                  std::optional<std::size_t> width);
// One object, one line; docs/formats/output.md has its fields.
[[nodiscard]] std::string json_of(const batch::Outcome& outcome, const std::string& run,
                                  const std::vector<durable::FailureGroup>& groups);

}  // namespace tidemill::cli
