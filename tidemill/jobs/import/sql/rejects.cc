#include "tidemill/jobs/import/sql/rejects.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

constexpr std::size_t kKept = std::size_t{1024} * 1024;  // most bytes of a line

void bind(store::Statement& statement, int at, const sqlite_pages::CellValue& value) {
  switch (value.type) {
    case sqlite_pages::CellType::absent:
    case sqlite_pages::CellType::null:
      return statement.set(at, nullptr);
    case sqlite_pages::CellType::integer:
      return statement.set(at, value.integer);
    case sqlite_pages::CellType::real:
      return statement.set(at, value.real);
    case sqlite_pages::CellType::text:
      return statement.set(at, value.bytes);
    case sqlite_pages::CellType::blob:
      return statement.set(at, store::Blob{value.bytes});
  }
}

}  // namespace

std::optional<std::size_t> line_of(const RowBatch& batch, const sqlite_pages::CellRow& row,
                                   RowidFrom rowid) {
  const jsonl::Block& block = batch.block;
  if (rowid == RowidFrom::key || rowid == RowidFrom::undecided || row.rowid < 0)
    return std::nullopt;
  auto place = static_cast<std::uint64_t>(row.rowid);
  if (rowid != RowidFrom::place) {
    if (place < block.first_line || place - block.first_line >= block.lines()) return std::nullopt;
    return static_cast<std::size_t>(place - block.first_line);
  }
  if (place < batch.base + block.offset) return std::nullopt;
  place -= batch.base + block.offset;
  const auto end = std::ranges::lower_bound(block.ends, place);
  if (end == block.ends.end()) return std::nullopt;
  return static_cast<std::size_t>(end - block.ends.begin());
}

Result<void> SqlRejects::prepare() {
  if (insert_) return {};
  LET(auto insert,
      db_.prepare(gives_rowid_
                      ? R"(INSERT INTO _rejects ("file", "line", "offset", "reason", "text", rowid)
                           VALUES (?, ?, ?, ?, ?, ?))"
                      : R"(INSERT INTO _rejects ("file", "line", "offset", "reason", "text")
                           VALUES (?, ?, ?, ?, ?))"));
  insert_ = std::make_unique<store::Statement>(std::move(insert));
  return {};
}

Result<void> SqlRejects::store(const sqlite_pages::CellBatch& cells) {
  if (cells.is_empty()) return {};
  TRY(prepare());
  constexpr std::size_t kColumns = std::size(kRejectsColumns);
  for (const sqlite_pages::CellRow& row : cells.rows()) {
    cells.values(row, values_);
    values_.resize(kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) bind(*insert_, static_cast<int>(i) + 1, values_[i]);
    if (gives_rowid_) insert_->set(static_cast<int>(kColumns) + 1, row.rowid);
    TRY(insert_->run_set());
  }
  return {};
}

Result<void> SqlRejects::refuse(std::string_view file, const RowBatch& batch,
                                const sqlite_pages::CellRow& row, RowidFrom rowid,
                                const std::string& reason) {
  TRY(prepare());
  const auto line = line_of(batch, row, rowid);
  const bool is_text = text::is_utf8(file);
  if (is_text) insert_->set(1, file);
  if (!is_text) insert_->set(1, store::Blob{file});
  insert_->set(4, std::string_view(reason));
  for (const int at : {2, 3, 5}) insert_->set(at, nullptr);
  if (!line) return put(std::nullopt);
  const auto offset = static_cast<std::int64_t>(batch.block.offset_of(*line));
  insert_->set(2, static_cast<std::int64_t>(batch.block.first_line + *line));
  insert_->set(3, offset);
  insert_->set(5, batch.block.line(*line).substr(0, kKept));
  return put(static_cast<std::int64_t>(batch.base) + offset + 1);
}

Result<void> SqlRejects::put(std::optional<std::int64_t> place) {
  if (!gives_rowid_) return insert_->run_set();
  if (place) {
    insert_->set(6, *place);
    auto put = insert_->run_set();
    if (put || db_.refusal() != store::RowRefusal::duplicate) return put;
  }
  insert_->set(6, --below_);
  return insert_->run_set();
}

Result<void> SqlRejects::remove(std::string_view file, std::optional<std::uint64_t> base) {
  LET(auto remove,
      db_.prepare(R"(DELETE FROM _rejects WHERE CAST("file" AS BLOB) = ? OR rowid >= ?)"));
  return remove.run(store::Blob{file}, base ? static_cast<std::int64_t>(*base) : INT64_MAX);
}

}  // namespace tidemill::import
