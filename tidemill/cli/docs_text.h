// How a run of `docs` went, for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/durable/sqlite_journal.h"
#include "tidemill/jobs/docs/docs.h"

namespace tidemill::cli {

[[nodiscard]] std::string text_of(const docs::Outcome& outcome, const std::string& run,
                                  const std::vector<durable::FailureGroup>& groups,
                                  std::optional<std::size_t> width);
// One object, one line; `event` is "summary" with --json, "end" with --jsonl.
[[nodiscard]] std::string json_of(const docs::Outcome& outcome, const std::string& run,
                                  std::string_view event,
                                  const std::vector<durable::FailureGroup>& groups);

}  // namespace tidemill::cli
