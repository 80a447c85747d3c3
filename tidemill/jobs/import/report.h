// The outcome of an import as JSON; text.h has the text for people.
#pragma once

#include <string>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"

namespace tidemill::import {

// One object on one line (docs/formats/output.md).
[[nodiscard]] std::string json_of(const ImportOutcome& outcome, const ImportOptions& options);

}  // namespace tidemill::import
