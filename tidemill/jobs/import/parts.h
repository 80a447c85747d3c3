// The parts of the history of an import: its tables, its widened columns and its rejected lines.
#pragma once

#include <vector>

#include "tidemill/jobs/import/outcome.h"
#include "tidemill/state/history/history.h"

namespace tidemill::import {

// A part without rows is included. The titles say so if files were skipped, because an earlier
// process imported them: it knows their rows, the outcome does not.
[[nodiscard]] std::vector<history::HistoryPart> parts_of(const ImportOutcome& outcome);

}  // namespace tidemill::import
