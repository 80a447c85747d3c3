// The outcome of an import for programs; for people it is told by jobs/import/text.h.
#pragma once

#include <string>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"

namespace tidemill::import {

// One object on one line (docs/formats/output.md).
[[nodiscard]] std::string json_of(const Outcome& outcome, const Options& options);

}  // namespace tidemill::import
