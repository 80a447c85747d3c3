// SqlRejects: writes rejected lines, and rows that the database refused, to _rejects. In a fresh
// database the rowid is the place of the line (SourceReader::kPlaces), or negative if that is not
// known or taken; otherwise SQLite assigns it. One thread, that of the Db.
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

  [[nodiscard]] Result<void> store(const sqlite_pages::CellBatch& cells);
  // A row that was made from a line of the batch's block.
  [[nodiscard]] Result<void> refuse(std::string_view file, const RowBatch& batch,
                                    const sqlite_pages::CellRow& row, RowidFrom rowid,
                                    const std::string& reason);

  // Removes the rejects of one file; with `base`, also everything from that place on.
  [[nodiscard]] Result<void> remove(std::string_view file, std::optional<std::uint64_t> base);

 private:
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> put(std::optional<std::int64_t> place);

  store::Db& db_;
  const bool gives_rowid_;
  std::int64_t below_ = 0;  // the last negative rowid that was used
  std::unique_ptr<store::Statement> insert_{};
  std::vector<sqlite_pages::CellValue> values_{};
};

// The line of the block that a row was made from. nullopt: not known, because its rowid is its key.
[[nodiscard]] std::optional<std::size_t> line_of(const RowBatch& batch,
                                                 const sqlite_pages::CellRow& row, RowidFrom rowid);

}  // namespace tidemill::import
