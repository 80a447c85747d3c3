// What a table declares, as the database has it, and the one change that SQL has no words for.
//
// The change is SQLite's own procedure (sqlite.org/lang_altertable.html, "Making Other Kinds Of
// Table Schema Changes"): inside a transaction the text of the CREATE TABLE is replaced and the
// schema's version moved, and nothing that is stored is touched. So it is right only where every
// stored row fits the new text too: columns behind the old ones, and other types of columns.
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

// What SQLite tries to make of a value that comes into a column.
enum class Affinity : std::uint8_t { none, integer, real, text, numeric };

// By the rules of sqlite.org/datatype3.html.
[[nodiscard]] Affinity affinity_of(std::string_view declared, bool is_strict);

struct DeclaredColumn {
  std::string name{};
  std::string type{};  // as it is written there
  Affinity affinity = Affinity::none;
};

// A table that rows can be inserted into. Generated columns are not in `columns`.
struct Declared {
  std::string name{};  // with the case it has there
  std::string sql{};   // CREATE TABLE …
  std::vector<DeclaredColumn> columns{};
  std::vector<std::string> generated{};
  std::optional<std::size_t> rowid_column{};  // that is the rowid: INTEGER PRIMARY KEY
  std::optional<std::size_t> key{};  // the one column of the primary key, or of a unique one
  bool has_rowid = true;
};

// Nothing: there is no such table. A view and a virtual table are a Failure with step "table".
[[nodiscard]] Result<std::optional<Declared>> read_declared(store::Db& db, std::string_view name);

// Whether no two rows can have the same value in this column.
[[nodiscard]] Result<bool> is_unique(store::Db& db, const Declared& table, std::size_t column);

struct TableText {
  std::string name{};  // as the database has it
  std::string create{};
};

// Inside a transaction; statements prepared before stay usable.
[[nodiscard]] Result<void> rewrite_tables(store::Db& db, std::span<const TableText> tables);

}  // namespace tidemill::import
