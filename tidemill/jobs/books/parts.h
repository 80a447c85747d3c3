// The parts of the history of a check and of a repair: verdicts, and findings or repairs by rule.
#pragma once

#include <vector>

#include "tidemill/jobs/books/repair/repair.h"
#include "tidemill/jobs/books/report/report_writer.h"
#include "tidemill/state/history/history.h"

namespace tidemill::books {

// Both are of all books that were found, also of those whose report was in the cache. A part
// without rows is included.
[[nodiscard]] std::vector<history::HistoryPart> parts_of(const BookTotals& totals);
[[nodiscard]] std::vector<history::HistoryPart> parts_of(const RepairTotals& totals);

}  // namespace tidemill::books
