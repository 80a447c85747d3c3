// What a console that shows single items is told of a book: its verdict or fate, and lines about
// it.
#pragma once

#include <string_view>

#include "tidemill/jobs/books/judge/filter.h"
#include "tidemill/jobs/books/report/repair_report.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::books {

[[nodiscard]] command::SettledItem settled_item(const Shown& shown);
// Good: nothing to do, mended, or it can be. Bad: declined.
[[nodiscard]] command::SettledItem settled_item(std::string_view path, const RepairReport& report);

}  // namespace tidemill::books
