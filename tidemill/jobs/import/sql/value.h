// Whether a column of a table that is not ours would alter a value. SQLite converts silently: '007'
// becomes 7 in a numeric column, and an integer beyond 2^53 is rounded in a REAL column. Such a row
// is refused. A value counts as unaltered if its text (formats/jsonl/number.h) is the same before
// and after: 5 and '5'. Pure.
#pragma once

#include <string>

#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/jobs/import/sql/schema.h"

namespace tidemill::import {

// False: the value would be altered. If true, a text that is a number may have been replaced by
// that number.
[[nodiscard]] bool fits(Affinity affinity, sqlite_pages::CellValue& value);

// For messages: the number, or the beginning of the text.
[[nodiscard]] std::string shown(const sqlite_pages::CellValue& value);

// "column price is declared REAL, which would change 9007199254740993".
[[nodiscard]] std::string reason_of_misfit(const DeclaredColumn& column,
                                           const sqlite_pages::CellValue& value);

}  // namespace tidemill::import
