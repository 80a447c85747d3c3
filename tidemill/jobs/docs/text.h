// Formats the outcome of a `docs` run as text and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/docs.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

[[nodiscard]] std::string text_of(const DocsOutcome& outcome, const std::string& run,
                                  const std::vector<journal::FailureGroup>& groups,
                                  std::optional<std::size_t> width);
// One object on one line; `event` is "summary" with --json, "end" with --jsonl.
[[nodiscard]] std::string json_of(const DocsOutcome& outcome, const std::string& run,
                                  std::string_view event,
                                  const std::vector<journal::FailureGroup>& groups);

}  // namespace tidemill::docs
