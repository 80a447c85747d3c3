#include "tidemill/jobs/import/sql/table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/value.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;

constexpr std::size_t kRowsAStatement = 16;
constexpr std::size_t kMostParameters = 32'766;  // SQLite's default limit
constexpr std::uint64_t kAloneFrom = std::uint64_t{256} * 1024;

}  // namespace

SqlTable::SqlTable(store::Db& db, const RowTable& table, Mode mode)
    : db_(db), mode_(mode), shape_(db, table, mode == Mode::upsert) {}

void SqlTable::forget() {
  shape_.forget();
  last_.reset();
}

void SqlTable::release() {
  generation_ = 0;
  one_.reset();
  many_.reset();
  upserts_.clear();
}

Result<std::int64_t> SqlTable::first_rowid(std::uint64_t base) {
  TRY(shape_.follow());
  const RowidFrom from = shape_.state().rowid;
  if (from == RowidFrom::place) return static_cast<std::int64_t>(base);
  if (from != RowidFrom::database) return INT64_MIN;  // the table has rows of this file only
  const std::string name = rowid_name(shape_.declared().columns);
  if (name.empty()) return INT64_MAX;
  LET(auto select,
      db_.prepare("SELECT max(" + name + ") FROM " + quoted_name(shape_.declared().name)));
  LET(const auto last, select.one<std::int64_t>());
  return last.value_or(0) + 1;
}

Result<void> SqlTable::remove_from(std::int64_t first) {
  const std::string name = rowid_name(shape_.declared().columns);
  if (first != INT64_MIN && name.empty()) return no_rowid_name(shape_.declared().name);
  std::string sql = "DELETE FROM " + quoted_name(shape_.declared().name);
  if (first != INT64_MIN) sql += " WHERE " + name + " >= " + std::to_string(first);
  TRY(db_.exec(sql));
  forget();
  return {};
}

Result<void> SqlTable::store(const sqlite_pages::CellBatch& cells, const IsWanted& is_wanted,
                             const OnRefused& on_refused) {
  TRY(shape_.follow());
  if (std::exchange(generation_, shape_.generation()) != shape_.generation()) {
    TRY(prepare_statements());
  }
  group_.clear();
  for (const sqlite_pages::CellRow& row : cells.rows()) {
    if (is_wanted && !is_wanted(row)) continue;
    if (goes_alone(row)) {
      TRY(put_group(cells, on_refused));
      TRY(put_one(cells, row, on_refused));
    } else {
      group_.push_back(&row);
      if (group_.size() == rows_a_statement_) TRY(put_group(cells, on_refused));
    }
    if (gives_rowid_ && (!last_ || row.rowid > *last_)) last_ = row.rowid;
  }
  return put_group(cells, on_refused);
}

bool SqlTable::goes_alone(const sqlite_pages::CellRow& row) const {
  if (mode_ == Mode::upsert || row.payload >= kAloneFrom) return true;
  return mode_ == Mode::fresh && gives_rowid_ && last_ && row.rowid <= *last_;
}

// The rowid is a parameter only if it has a name that is not the name of a column.
Result<void> SqlTable::prepare_statements() {
  const RowTable::State& state = shape_.state();
  const bool wants_rowid = state.rowid == RowidFrom::line || state.rowid == RowidFrom::place;
  has_key_ = state.key.has_value();
  key_ = state.key.value_or(0);
  is_key_rowid_ = has_key_ && state.rowid == RowidFrom::key;
  if ((wants_rowid || is_key_rowid_) && !shape_.declared().has_rowid) {
    return fail(Cure::give_up, "table",
                shape_.declared().name + " has no rowid, but its rows need one");
  }
  gives_rowid_ = is_key_rowid_ || (wants_rowid && mode_ != Mode::upsert &&
                                   !rowid_name(shape_.declared().columns).empty());
  columns_.clear();
  for (std::size_t i = 0; i < shape_.columns().size() && i < state.columns.size(); ++i) {
    // Columns that no record has named get the defaults of the table.
    const bool is_default = !shape_.is_ours() && state.columns[i].seen == 0;
    const bool is_rowid = is_key_rowid_ && key_ == i;
    if (!is_rowid && !is_default) columns_.push_back(i);
  }
  const std::size_t parameters = columns_.size() + (gives_rowid_ ? 1 : 0);
  // With several rows, SQLite's limit for the columns of a SELECT applies.
  const bool goes_singly = mode_ == Mode::upsert || parameters == 0 || parameters > kMostColumns;
  rows_a_statement_ = goes_singly ? 1 : std::min(kRowsAStatement, kMostParameters / parameters);
  upserts_.clear();
  many_.reset();
  if (mode_ == Mode::upsert) return require_key();
  const std::string& name = shape_.declared().name;
  LET(auto one, db_.prepare(insert_into(name, names(), 1)));
  one_ = std::make_unique<store::Statement>(std::move(one));
  if (goes_singly) return {};
  LET(auto many, db_.prepare(insert_into(name, names(), rows_a_statement_)));
  many_ = std::make_unique<store::Statement>(std::move(many));
  return {};
}

Result<void> SqlTable::require_key() {
  const RowTable::State& state = shape_.state();
  const std::string& name = shape_.declared().name;
  bool is_there = false;
  if (has_key_) {
    const auto& columns = shape_.declared().columns;
    const auto key = std::ranges::find_if(
        columns, [&](const auto& one) { return is_same_name(one.name, state.columns[key_].name); });
    LET(is_there,
        is_unique(db_, shape_.declared(), static_cast<std::size_t>(key - columns.begin())));
  }
  if (is_there) return {};
  const std::string what =
      has_key_ ? "there is no unique index on " + state.columns[key_].name : "it has no key";
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "table",
                                 .reason = name + ": cannot upsert: " + what,
                                 .hint = "create a unique index on the key, or use --append"});
}

std::vector<std::string> SqlTable::names(std::string_view present) const {
  std::vector<std::string> all;
  const auto& columns = shape_.columns();
  if (is_key_rowid_) {
    all.push_back(quoted_name(columns[key_].name));
  } else if (gives_rowid_) {
    all.emplace_back(rowid_name(shape_.declared().columns));
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (present.empty() || present[i] != '0') all.push_back(quoted_name(columns[columns_[i]].name));
  }
  return all;
}

std::string SqlTable::read(const sqlite_pages::CellBatch& cells, const sqlite_pages::CellRow& row) {
  cells.values(row, values_);
  if (values_.size() < shape_.columns().size()) values_.resize(shape_.columns().size());
  if (mode_ == Mode::upsert && !is_key_rowid_) {
    const CellType key = values_[key_].type;
    if (key == CellType::absent || key == CellType::null) {
      return "the key " + shape_.state().columns[key_].name + " is missing";
    }
  }
  if (shape_.is_ours()) return {};
  for (const std::size_t i : columns_) {
    const DeclaredColumn& column = shape_.columns()[i];
    if (!fits(column.affinity, values_[i])) return reason_of_misfit(column, values_[i]);
  }
  return {};
}

void SqlTable::bind_value(store::Statement& statement, int at, std::size_t column) {
  const sqlite_pages::CellValue& value = values_[column];
  switch (value.type) {
    case CellType::absent:
    case CellType::null:
      return statement.set(at, nullptr);
    case CellType::integer:
      return statement.set(at, value.integer);
    case CellType::real:
      break;
    case CellType::text:
      return statement.set(at, value.bytes);
    case CellType::blob:
      return statement.set(at, store::Blob{value.bytes});
  }
  if (shape_.columns()[column].affinity != Affinity::text) return statement.set(at, value.real);
  // SQLite's own text of a real loses digits.
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  std::string& text = texts_[texts_used_++];
  text.clear();
  jsonl::append_text(value.real, text);
  statement.set(at, std::string_view(text));
}

void SqlTable::bind(store::Statement& statement, int& at, const sqlite_pages::CellRow& row) {
  if (gives_rowid_) statement.set(at++, row.rowid);
  for (const std::size_t column : columns_) bind_value(statement, at++, column);
}

Result<void> SqlTable::put_group(const sqlite_pages::CellBatch& cells,
                                 const OnRefused& on_refused) {
  LET(const bool is_stored, put_many(cells));
  if (!is_stored) {
    for (const sqlite_pages::CellRow* row : group_) TRY(put_one(cells, *row, on_refused));
  }
  group_.clear();
  return {};
}

// False: one of the rows was refused, and none was stored.
Result<bool> SqlTable::put_many(const sqlite_pages::CellBatch& cells) {
  if (!many_ || group_.size() != rows_a_statement_) return false;
  int at = 1;
  texts_used_ = 0;
  for (const sqlite_pages::CellRow* row : group_) {
    if (!read(cells, *row).empty()) return false;
    bind(*many_, at, *row);
  }
  auto put = many_->run_set();
  if (put) return true;
  if (!is_of_a_row()) return std::unexpected(std::move(put).error());
  return false;
}

// If the transaction has ended, earlier rows are lost too: then the failure is not about a row.
bool SqlTable::is_of_a_row() const {
  return db_.refusal() != store::RowRefusal::none && db_.in_transaction();
}

Result<void> SqlTable::put_one(const sqlite_pages::CellBatch& cells,
                               const sqlite_pages::CellRow& row, const OnRefused& on_refused) {
  texts_used_ = 0;
  const std::string misfit = read(cells, row);
  if (!misfit.empty()) return on_refused(row, shape_.state().rowid, misfit);
  const auto put = run_one(row);
  if (put) return {};
  if (!is_of_a_row()) return put;
  return refuse(row, put.error(), on_refused);
}

Result<void> SqlTable::run_one(const sqlite_pages::CellRow& row) {
  if (mode_ != Mode::upsert) {
    int at = 1;
    bind(*one_, at, row);
    return one_->run_set();
  }
  LET(store::Statement* const upsert, upsert_for_values());
  int at = 1;
  if (is_key_rowid_) upsert->set(at++, row.rowid);
  for (const std::size_t column : columns_) {
    if (values_[column].type != CellType::absent) bind_value(*upsert, at++, column);
  }
  return upsert->run_set();
}

Result<store::Statement*> SqlTable::upsert_for_values() {
  constexpr std::size_t kMostUpserts = 64;
  present_.clear();
  for (const std::size_t column : columns_) {
    present_ += values_[column].type == CellType::absent ? '0' : '1';
  }
  auto found = upserts_.find(present_);
  if (found == upserts_.end()) {
    if (upserts_.size() == kMostUpserts) {
      upserts_.erase(std::ranges::min_element(upserts_, {},
                                              [](const auto& entry) { return entry.second.used; }));
    }
    LET(auto statement, db_.prepare(upsert_into(shape_.declared().name, names(present_),
                                                quoted_name(shape_.columns()[key_].name))));
    found = upserts_.emplace(present_, Upsert{.statement = std::move(statement)}).first;
  }
  found->second.used = ++uses_;
  return &found->second.statement;
}

Result<void> SqlTable::refuse(const sqlite_pages::CellRow& row, const Failure& failure,
                              const OnRefused& on_refused) {
  std::string reason = db_.words();
  const RowTable::State& state = shape_.state();
  if (db_.refusal() == store::RowRefusal::duplicate && has_key_) {
    sqlite_pages::CellValue key = values_[key_];
    if (is_key_rowid_) key = {.type = CellType::integer, .integer = row.rowid};
    if (failure.subject == shape_.declared().name + "." + shape_.columns()[key_].name) {
      reason = "key " + shown(key) + " already exists";
    }
  }
  return on_refused(row, state.rowid, reason);
}

}  // namespace tidemill::import
