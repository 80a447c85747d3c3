// SqlTable: the statements that put rows into one table.
//
// Rows go 16 to a statement; rows that are large, or that may meet one of their key in a database
// without a journal, go alone, so that a statement that fails has changed nothing. When a statement
// of many rows fails because of a row, its rows are put one by one. For an upsert there is a
// statement for every set of fields that a record can have; the last 64 are kept. One thread, that
// of the Db.
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
  SqlTable(store::Db& db, const Table& table, Mode mode);

  [[nodiscard]] SqlShape& shape() { return shape_; }

  // Of a row that the table refused.
  using OnRefused = std::function<Result<void>(const sqlite_pages::Row& row, RowidFrom rowid,
                                               const std::string& reason)>;
  // A row that `is_wanted` denies is passed over.
  using IsWanted = std::function<bool(const sqlite_pages::Row& row)>;

  // Brings the table up to date, then stores the rows.
  [[nodiscard]] Result<void> store(const sqlite_pages::Cells& cells, const IsWanted& is_wanted,
                                   const OnRefused& on_refused);

  // The first rowid that the rows of a file can have which has `base`, before its first row.
  [[nodiscard]] Result<std::int64_t> first_rowid(std::uint64_t base);
  // Takes out all rows from that one on. For a database where nothing can be rolled back.
  [[nodiscard]] Result<void> remove_from(std::int64_t first);

  void forget();   // something was rolled back
  void release();  // the statements: they are prepared again when they are needed

 private:
  [[nodiscard]] Result<void> prepare_statements();
  [[nodiscard]] Result<void> require_key();
  // What a row is given, in order; `present`: as in upserts_.
  [[nodiscard]] std::vector<std::string> names(std::string_view present = {}) const;

  // Decodes the row into values_; the answer is empty, or why it is refused.
  [[nodiscard]] std::string read(const sqlite_pages::Cells& cells, const sqlite_pages::Row& row);
  void bind(store::Statement& statement, int& at, const sqlite_pages::Row& row);
  void bind_value(store::Statement& statement, int at, std::size_t column);
  [[nodiscard]] Result<void> put_group(const sqlite_pages::Cells& cells,
                                       const OnRefused& on_refused);
  [[nodiscard]] Result<bool> put_many(const sqlite_pages::Cells& cells);
  [[nodiscard]] bool is_of_a_row() const;
  [[nodiscard]] Result<void> put_one(const sqlite_pages::Cells& cells, const sqlite_pages::Row& row,
                                     const OnRefused& on_refused);
  [[nodiscard]] Result<void> run_one(const sqlite_pages::Row& row);
  [[nodiscard]] Result<store::Statement*> upsert_for_values();
  [[nodiscard]] Result<void> refuse(const sqlite_pages::Row& row, const Failure& failure,
                                    const OnRefused& on_refused);
  [[nodiscard]] bool goes_alone(const sqlite_pages::Row& row) const;

  store::Db& db_;
  const Mode mode_;
  SqlShape shape_;

  // Of the statements, as long as the shape stays.
  std::uint64_t generation_ = 0;
  bool has_key_ = false;
  std::size_t key_ = 0;                 // its column
  bool is_key_rowid_ = false;           // the row's rowid is the key's value
  bool gives_rowid_ = false;            // the first parameter of a row
  std::vector<std::size_t> columns_{};  // that are given values, in order
  std::size_t rows_a_statement_ = 1;
  std::unique_ptr<store::Statement> one_{};
  std::unique_ptr<store::Statement> many_{};
  struct Upsert {
    store::Statement statement;
    std::uint64_t used = 0;
  };
  std::map<std::string, Upsert> upserts_{};  // by the fields that are there, a byte a column
  std::uint64_t uses_ = 0;
  std::optional<std::int64_t> last_{};  // the largest rowid so far, of a database without a journal

  std::vector<const sqlite_pages::Row*> group_{};
  std::vector<sqlite_pages::Value> values_{};
  std::deque<std::string> texts_{};  // of reals, until the statement has run
  std::size_t texts_used_ = 0;
  std::string present_{};
};

}  // namespace tidemill::import
