// Converts the result of a book to the item that a console shows: its status or fate, and details.
#pragma once

#include <string_view>

#include "tidemill/jobs/books/judge/filter.h"
#include "tidemill/jobs/books/report/repair_report.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::books {

[[nodiscard]] command::SettledItem settled_item(const Shown& shown);
// Good: nothing to do, repaired or repairable. Bad: declined.
[[nodiscard]] command::SettledItem settled_item(std::string_view path, const RepairReport& report);

}  // namespace tidemill::books
