// ddl: the SQL that creates, changes and fills tables. Names from files and records may contain
// anything, so every name goes through quoted_name(). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// In double quotes, with those inside doubled.
[[nodiscard]] std::string quoted_name(std::string_view name);

// "name" TEXT
[[nodiscard]] std::string column_definition(const Column& column);

inline constexpr std::string_view kEmptyColumn = "_empty";

// UPDATE "types" SET "a" = tidemill_text("a"), … for the numbers in columns that are TEXT now. All
// columns in one statement: an UPDATE writes complete rows, and would convert a number in another
// TEXT column to SQLite's own text, which loses digits.
[[nodiscard]] std::string update_to_text(std::string_view table,
                                         std::span<const std::string> columns);

// INSERT OR ABORT INTO "types" (names…) VALUES (?, …), … for `rows` rows. The names are already
// quoted. ABORT overrides a table that declares ON CONFLICT IGNORE, which would drop rows silently.
[[nodiscard]] std::string insert_into(std::string_view table, std::span<const std::string> names,
                                      std::size_t rows);
// The same for one row; if a row with that key exists, sets all of its other columns.
[[nodiscard]] std::string upsert_into(std::string_view table, std::span<const std::string> names,
                                      const std::string& key);

// A name of the rowid that is not the name of a column; empty: all three are.
template <class Columns>
[[nodiscard]] std::string rowid_name(const Columns& columns) {
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    const auto is_it = [&](const auto& column) { return is_same_name(column.name, name); };
    if (std::ranges::none_of(columns, is_it)) return name;
  }
  return {};
}
// The failure if rows must be identified by their rowids and there is no such name.
[[nodiscard]] std::unexpected<Failure> no_rowid_name(const std::string& table);

// CREATE TABLE "types" ("_key" INTEGER PRIMARY KEY, "name" TEXT, …). With RowidFrom::key the key
// column is the INTEGER PRIMARY KEY. A table without columns gets one without a type, "_empty".
[[nodiscard]] std::string create_table(std::string_view name, const RowTable::State& state);

}  // namespace tidemill::import
