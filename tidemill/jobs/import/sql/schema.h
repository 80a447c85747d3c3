// Reads the declaration of a table from the database, and makes the one change to it that SQL does
// not offer.
//
// The change follows SQLite's own procedure (sqlite.org/lang_altertable.html, "Making Other Kinds
// Of Table Schema Changes"): inside a transaction, the text of the CREATE TABLE is replaced and the
// schema version incremented; stored rows are not touched. So it is valid only if every stored row
// also fits the new text: columns appended after the old ones, and other column types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// The type to which SQLite tries to convert a value that is stored in a column.
enum class Affinity : std::uint8_t { none, integer, real, text, numeric };

// By the rules of sqlite.org/datatype3.html.
[[nodiscard]] Affinity affinity_of(std::string_view declared, bool is_strict);

struct DeclaredColumn {
  std::string name{};
  std::string type{};  // as declared
  Affinity affinity = Affinity::none;
};

// A table that rows can be inserted into. Generated columns are not in `columns`.
struct Declared {
  std::string name{};  // in the case of its declaration
  std::string sql{};   // CREATE TABLE …
  std::vector<DeclaredColumn> columns{};
  std::vector<std::string> generated{};
  std::optional<std::size_t> rowid_column{};  // the INTEGER PRIMARY KEY
  std::optional<std::size_t> key{};  // the single column of the primary key or of a unique index
  bool has_rowid = true;
};

// nullopt: no such table. A view or a virtual table is a Failure with step "table".
[[nodiscard]] Result<std::optional<Declared>> read_declared(store::Db& db, std::string_view name);

// Whether no two rows can have the same value in this column.
[[nodiscard]] Result<bool> is_unique(store::Db& db, const Declared& table, std::size_t column);

struct TableText {
  std::string name{};  // as in the database
  std::string create{};
};

// Call inside a transaction; statements that were prepared before stay usable.
[[nodiscard]] Result<void> rewrite_tables(store::Db& db, std::span<const TableText> tables);

}  // namespace tidemill::import
