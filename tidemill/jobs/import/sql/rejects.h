// SqlRejects: lines that are no rows, and rows that the database refused, into _rejects. In a fresh
// database the rowid is the place of the line in all that was read, or below zero when that is not
// known or taken; rejects that join others get the next one. One thread, that of the Db.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/rows/batch.h"

namespace tidemill::import {

class SqlRejects {
 public:
  SqlRejects(store::Db& db, bool gives_rowid) : db_(db), gives_rowid_(gives_rowid) {}

  [[nodiscard]] Result<void> store(const sqlite_pages::Cells& cells);
  // A row that was made from a line of the batch's block.
  [[nodiscard]] Result<void> refuse(std::string_view file, const Batch& batch,
                                    const sqlite_pages::Row& row, RowidFrom rowid,
                                    const std::string& reason);

  // Those of one file, which has all places from `base` on.
  [[nodiscard]] Result<void> remove(std::string_view file, std::optional<std::uint64_t> base);

 private:
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> put(std::optional<std::int64_t> place);

  store::Db& db_;
  const bool gives_rowid_;
  std::int64_t below_ = 0;  // the last rowid below zero that was given
  std::unique_ptr<store::Statement> insert_{};
  std::vector<sqlite_pages::Value> values_{};
};

// Which line of its block a row was made from. Nothing: its rowid is its key, and does not say it.
[[nodiscard]] std::optional<std::size_t> line_of(const Batch& batch, const sqlite_pages::Row& row,
                                                 RowidFrom rowid);

}  // namespace tidemill::import
