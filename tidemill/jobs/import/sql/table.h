// SqlTable: the statements that store rows in one table.
//
// A statement inserts 16 rows. A row is inserted alone if it is large, or if its key may exist in a
// database without a journal, so that a failed statement has changed nothing. If a statement with
// many rows fails because of a row, its rows are inserted one by one. Upserts have a statement for
// every set of fields that occurs; the 64 most recently used are kept. One thread, that of the Db.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/sql/shape.h"

namespace tidemill::import {

class SqlTable {
 public:
  SqlTable(store::Db& db, const RowTable& table, Mode mode);

  [[nodiscard]] SqlShape& shape() { return shape_; }

  // Called for each row that the table refused.
  using OnRefused = std::function<Result<void>(const sqlite_pages::CellRow& row, RowidFrom rowid,
                                               const std::string& reason)>;
  // A row is skipped if this returns false.
  using IsWanted = std::function<bool(const sqlite_pages::CellRow& row)>;

  // Brings the table up to date, then stores the rows.
  [[nodiscard]] Result<void> store(const sqlite_pages::CellBatch& cells, const IsWanted& is_wanted,
                                   const OnRefused& on_refused);

  // The first rowid that the rows of a file that begins at `base` can have. Call before its first
  // row is stored.
  [[nodiscard]] Result<std::int64_t> first_rowid(std::uint64_t base);
  // Removes all rows from that rowid on. For a database that cannot roll back.
  [[nodiscard]] Result<void> remove_from(std::int64_t first);

  void forget();   // after a rollback
  void release();  // frees the statements; they are prepared again when needed

 private:
  [[nodiscard]] Result<void> prepare_statements();
  [[nodiscard]] Result<void> require_key();
  // The names of the parameters of a row, in order; `present`: as in upserts_.
  [[nodiscard]] std::vector<std::string> names(std::string_view present = {}) const;

  // Decodes the row into values_. Returns the reason if it is refused, otherwise an empty string.
  [[nodiscard]] std::string read(const sqlite_pages::CellBatch& cells,
                                 const sqlite_pages::CellRow& row);
  void bind(store::Statement& statement, int& at, const sqlite_pages::CellRow& row);
  void bind_value(store::Statement& statement, int at, std::size_t column);
  [[nodiscard]] Result<void> put_group(const sqlite_pages::CellBatch& cells,
                                       const OnRefused& on_refused);
  [[nodiscard]] Result<bool> put_many(const sqlite_pages::CellBatch& cells);
  [[nodiscard]] bool is_of_a_row() const;
  [[nodiscard]] Result<void> put_one(const sqlite_pages::CellBatch& cells,
                                     const sqlite_pages::CellRow& row, const OnRefused& on_refused);
  [[nodiscard]] Result<void> run_one(const sqlite_pages::CellRow& row);
  [[nodiscard]] Result<store::Statement*> upsert_for_values();
  [[nodiscard]] Result<void> refuse(const sqlite_pages::CellRow& row, const Failure& failure,
                                    const OnRefused& on_refused);
  [[nodiscard]] bool goes_alone(const sqlite_pages::CellRow& row) const;

  store::Db& db_;
  const Mode mode_;
  SqlShape shape_;

  // The statements and what they depend on, valid for one generation of the shape.
  std::uint64_t generation_ = 0;
  bool has_key_ = false;
  std::size_t key_ = 0;                 // its column
  bool is_key_rowid_ = false;           // the rowid is the value of the key
  bool gives_rowid_ = false;            // the rowid is the first parameter of a row
  std::vector<std::size_t> columns_{};  // the other parameters, in order
  std::size_t rows_a_statement_ = 1;
  std::unique_ptr<store::Statement> one_{};
  std::unique_ptr<store::Statement> many_{};
  struct Upsert {
    store::Statement statement;
    std::uint64_t used = 0;
  };
  std::map<std::string, Upsert> upserts_{};  // by the fields that are present, a byte per column
  std::uint64_t uses_ = 0;
  std::optional<std::int64_t> last_{};  // the largest rowid so far, in a database without a journal

  std::vector<const sqlite_pages::CellRow*> group_{};
  std::vector<sqlite_pages::CellValue> values_{};
  std::deque<std::string> texts_{};  // of reals, until the statement has run
  std::size_t texts_used_ = 0;
  std::string present_{};
};

}  // namespace tidemill::import
