// The outcome of an import as text for people; report.h has the JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"

namespace tidemill::import {

// The tables, widened columns, rejects, failures, and the commands to run next.
[[nodiscard]] std::string text_of(const ImportOutcome& outcome, const ImportOptions& options,
                                  std::optional<std::size_t> width);

}  // namespace tidemill::import
