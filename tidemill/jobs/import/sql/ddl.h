// ddl: the SQL that makes and changes our tables. Names from files and records may hold anything,
// so every name goes through quoted_name(). Pure.
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
// columns in one statement: an UPDATE writes whole rows, and a number in another column of TEXT
// would become SQLite's own text of it, which loses digits.
[[nodiscard]] std::string update_to_text(std::string_view table,
                                         std::span<const std::string> columns);

// INSERT OR ABORT INTO "types" (names…) VALUES (?, …), … of so many rows. The names are quoted
// already. ABORT, also where a table declares that a row that breaks its rules is to vanish in
// silence.
[[nodiscard]] std::string insert_into(std::string_view table, std::span<const std::string> names,
                                      std::size_t rows);
// The same of one row, with an end that sets all but the key when a row of that key is there.
[[nodiscard]] std::string upsert_into(std::string_view table, std::span<const std::string> names,
                                      const std::string& key);

// A name of the rowid that none of the columns has; empty: they have all three.
template <class Columns>
[[nodiscard]] std::string rowid_name(const Columns& columns) {
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    const auto is_it = [&](const auto& column) { return is_same_name(column.name, name); };
    if (std::ranges::none_of(columns, is_it)) return name;
  }
  return {};
}
// What to say when rows must be known by their rowids then.
[[nodiscard]] std::unexpected<Failure> no_rowid_name(const std::string& table);

// CREATE TABLE "types" ("_key" INTEGER PRIMARY KEY, "name" TEXT, …). With RowidFrom::key the key
// column is the INTEGER PRIMARY KEY. A table without columns gets one without a type, "_empty".
[[nodiscard]] std::string create_table(std::string_view name, const Table::State& state);

}  // namespace tidemill::import
