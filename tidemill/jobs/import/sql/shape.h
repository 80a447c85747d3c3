// SqlShape: keeps the declaration of one table in the database up to date with its RowTable.
//
//   RowTable (in memory)   columns are added, types widen          by the workers
//   follow()               CREATE, ADD COLUMN, widen               before the rows that need it
//   unsealed(), rewrite_tables(), has_been_sealed()
//                          the final declared types                before a commit
//
// Between follow() and sealing, a REAL column is declared without a type. SQLite would store the
// real 5.0 in a REAL column as the integer 5, and if the column became TEXT later, 5.0 could not be
// distinguished from 5. Once sealed, the column reads as REAL whichever of the two is stored.
//
// Only a table that an import created is redeclared; to any other table only columns without a type
// are added, and it is never sealed, widened or emptied. One thread, that of the Db.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/rows/table.h"
#include "tidemill/jobs/import/sql/schema.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {

// Whether an import created this table and its declaration is unchanged since.
[[nodiscard]] Result<bool> is_ours(store::Db& db, const Declared& declared);

class SqlShape {
 public:
  // `needs_key`: a new table gets a unique index on its key when it is created.
  SqlShape(store::Db& db, const RowTable& table, bool needs_key)
      : db_(db), table_(table), needs_key_(needs_key) {}

  [[nodiscard]] Result<void> follow();
  // Calls follow() and returns the text that seals the table, if it is not sealed. The caller
  // rewrites many tables at once, because SQLite reads the complete schema again afterwards. Does
  // nothing if the table does not exist.
  [[nodiscard]] Result<std::optional<TableText>> unsealed();
  void has_been_sealed();
  // Writes the columns to the import log, if they have changed.
  [[nodiscard]] Result<void> record(ImportLog& import_log);
  // Changes when statements must be prepared again.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // After a rollback: discards what is known about the database.
  void forget();

  [[nodiscard]] const RowTable& table() const { return table_; }
  // After follow(): the state that the rows were made with, and the columns of the database in the
  // same order.
  [[nodiscard]] const RowTable::State& state() const { return state_; }
  [[nodiscard]] const std::vector<DeclaredColumn>& columns() const { return columns_; }
  [[nodiscard]] const Declared& declared() const { return declared_; }
  [[nodiscard]] bool is_ours() const { return is_ours_; }

 private:
  [[nodiscard]] Result<void> read();
  [[nodiscard]] Result<void> look();
  [[nodiscard]] Result<void> create();
  [[nodiscard]] Result<void> create_key();
  [[nodiscard]] Result<void> grow_ours();
  [[nodiscard]] Result<void> remake();
  [[nodiscard]] Result<void> check_columns(const RowTable::State& wanted) const;
  [[nodiscard]] Result<void> rewrite(const RowTable::State& wanted, const std::string& create);
  [[nodiscard]] Result<void> make_text(const RowTable::State& wanted);
  [[nodiscard]] Result<void> grow_foreign();
  [[nodiscard]] RowTable::State sealed_state() const;

  store::Db& db_;
  const RowTable& table_;
  const bool needs_key_;
  bool is_there_ = false;  // the table exists, and declared_ is its declaration
  bool is_ours_ = false;
  bool is_loose_ = false;
  std::uint64_t version_ = 0;  // RowTable::version() of state_
  std::uint64_t generation_ = 0;
  std::uint64_t recorded_ = 0;  // the version in the import log
  RowTable::State state_{};
  Declared declared_{};
  std::vector<DeclaredColumn> columns_{};
};

}  // namespace tidemill::import
