// SqlShape: one table in the database, brought up to what is known of it, again and again.
//
//   Table (in memory)      columns are added, types widen          by the workers
//   SqlShape::follow()     CREATE, ADD COLUMN, widen               before the rows that need it
//   seal()                 the declared types as they are meant    before a commit
//
// Between the two a column of REAL is declared without a type. SQLite would store the
// real 5.0 of a REAL column as the integer 5, and if the column became TEXT later nobody could tell
// 5.0 from 5. Sealed, the column reads as REAL whichever of the two is stored.
//
// A table that an import made is changed in its declaration; to any other one only columns without
// a type are added, and it is never sealed, widened or emptied. One thread, that of the Db.
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
#include "tidemill/jobs/import/target/ledger.h"

namespace tidemill::import {

// Whether an import made this table and nobody has changed it since.
[[nodiscard]] Result<bool> is_ours(store::Db& db, const Declared& declared);

class SqlShape {
 public:
  // `needs_key`: a new table gets a unique index on its key at once.
  SqlShape(store::Db& db, const Table& table, bool needs_key)
      : db_(db), table_(table), needs_key_(needs_key) {}

  [[nodiscard]] Result<void> follow();
  // Follows, and says what must be written for it to be sealed, if anything: for many tables at
  // once, since SQLite reads the whole schema again afterwards. Does nothing for a table that is
  // not there.
  [[nodiscard]] Result<std::optional<TableText>> unsealed();
  void has_been_sealed();
  // Its columns go into the ledger, unless they are there as they are.
  [[nodiscard]] Result<void> record(Ledger& ledger);
  // Moves when statements have to be prepared anew.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // Something was rolled back: what is known of the database is void.
  void forget();

  [[nodiscard]] const Table& table() const { return table_; }
  // After follow(): what the rows were made by; the columns of the database in the same order.
  [[nodiscard]] const Table::State& state() const { return state_; }
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
  [[nodiscard]] Result<void> check_columns(const Table::State& wanted) const;
  [[nodiscard]] Result<void> rewrite(const Table::State& wanted, const std::string& create);
  [[nodiscard]] Result<void> make_text(const Table::State& wanted);
  [[nodiscard]] Result<void> grow_foreign();
  [[nodiscard]] Table::State sealed_state() const;

  store::Db& db_;
  const Table& table_;
  const bool needs_key_;
  bool is_there_ = false;  // and declared_ is what the database has
  bool is_ours_ = false;
  bool is_loose_ = false;
  std::uint64_t version_ = 0;  // of the table, that state_ is
  std::uint64_t generation_ = 0;
  std::uint64_t recorded_ = 0;  // that the ledger has
  Table::State state_{};
  Declared declared_{};
  std::vector<DeclaredColumn> columns_{};
};

}  // namespace tidemill::import
