// What becomes of a value in a column of a table that is not ours: kept, or altered by what the
// column declares. SQLite alters without a word: '007' becomes 7 in a column of numbers, and an
// integer beyond 2^53 is rounded in one of reals. Such a row is refused. Not altered is a value
// whose one text (formats/jsonl/number.h) is the same before and after: 5 and '5'. Pure.
#pragma once

#include <string>

#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/jobs/import/sql/schema.h"

namespace tidemill::import {

// A text that is a number may be replaced by that number. False: it would be altered.
[[nodiscard]] bool fits(Affinity affinity, sqlite_pages::Value& value);

// For people: the number, or the beginning of the text.
[[nodiscard]] std::string shown(const sqlite_pages::Value& value);

// "column price is declared REAL, which would change 9007199254740993".
[[nodiscard]] std::string reason_of_misfit(const DeclaredColumn& column,
                                           const sqlite_pages::Value& value);

}  // namespace tidemill::import
