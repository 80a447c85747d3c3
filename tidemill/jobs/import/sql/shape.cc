#include "tidemill/jobs/import/sql/shape.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/sql/ddl.h"

namespace tidemill::import {
namespace {

ColumnType type_declared(const DeclaredColumn& column) {
  return type_named(column.type).value_or(ColumnType::none);
}

// The state for which create_table() would write the existing declaration.
RowTable::State state_of(const Declared& declared) {
  RowTable::State state{.rowid = declared.rowid_column ? RowidFrom::key : RowidFrom::line,
                        .key = declared.rowid_column};
  for (const DeclaredColumn& column : declared.columns) {
    state.columns.push_back({.name = column.name, .forced = type_declared(column)});
  }
  return state;
}

void loosen(RowTable::State& state) {
  for (Column& column : state.columns) {
    if (column.type() == ColumnType::real) column.forced = ColumnType::none;
  }
}

// The only column is the placeholder of a table without columns: it contains only NULL.
bool is_placeholder(const Declared& declared, const RowTable::State& wanted) {
  return declared.columns.size() == 1 && declared.columns.front().name == kEmptyColumn &&
         (wanted.columns.empty() || wanted.columns.front().name != kEmptyColumn);
}

std::unexpected<Failure> not_as_it_was(const std::string& table, const std::string& what) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "table",
                                 .reason = table + ": " + what,
                                 .hint = "check the table: it was changed after it was imported"});
}

std::vector<DeclaredColumn> declared_columns(const RowTable::State& state) {
  std::vector<DeclaredColumn> columns;
  for (const Column& column : state.columns) {
    const std::string type(name_of(column.type()));
    columns.push_back({.name = column.name, .type = type, .affinity = affinity_of(type, false)});
  }
  if (columns.empty()) columns.push_back({.name = std::string(kEmptyColumn)});
  return columns;
}

}  // namespace

Result<bool> is_ours(store::Db& db, const Declared& declared) {
  ImportLog import_log(db);
  LET(const bool has_import_log, import_log.is_there());
  if (!has_import_log) return false;
  LET(const bool is_made_by_us, import_log.is_ours(declared.name));
  return is_made_by_us && create_table(declared.name, state_of(declared)) == declared.sql;
}

Result<void> SqlShape::read() {
  LET(auto declared, read_declared(db_, table_.name()));
  is_there_ = declared.has_value();
  if (declared) declared_ = *std::move(declared);
  return {};
}

Result<void> SqlShape::look() {
  if (is_there_) return {};
  TRY(read());
  if (!is_there_) return {};
  LET(is_ours_, import::is_ours(db_, declared_));
  return is_ours_ ? Result<void>{} : ImportLog(db_).put_table(table_, false);
}

Result<void> SqlShape::follow() {
  const std::uint64_t version = table_.version();
  if (version == version_ && is_there_ && (is_loose_ || !is_ours_)) return {};
  version_ = version;
  state_ = table_.state();
  ++generation_;
  TRY(look());
  if (!is_there_) {
    TRY(create());
  } else if (is_ours_) {
    TRY(grow_ours());
  } else {
    TRY(grow_foreign());
  }
  is_loose_ = is_ours_;
  return {};
}

Result<std::optional<TableText>> SqlShape::unsealed() {
  TRY(look());
  if (!is_there_ || !is_ours_) return std::nullopt;
  TRY(follow());
  ImportLog import_log(db_);
  TRY(record(import_log));
  std::string text = create_table(declared_.name, sealed_state());
  if (text == declared_.sql) return std::nullopt;
  return TableText{.name = declared_.name, .create = std::move(text)};
}

void SqlShape::has_been_sealed() {
  if (!is_there_ || !is_ours_) return;
  const RowTable::State sealed = sealed_state();
  declared_.sql = create_table(declared_.name, sealed);
  declared_.columns = declared_columns(sealed);
  is_loose_ = false;
}

Result<void> SqlShape::record(ImportLog& import_log) {
  if (recorded_ == version_ || !is_there_) return {};
  TRY(import_log.put_columns(declared_.name, state_));
  recorded_ = version_;
  return {};
}

void SqlShape::forget() {
  is_there_ = false;
  recorded_ = 0;
  is_loose_ = false;
}

Result<void> SqlShape::create() {
  RowTable::State wanted = state_;
  loosen(wanted);
  TRY(db_.exec(create_table(table_.name(), wanted)));
  TRY(ImportLog(db_).put_table(table_));
  is_ours_ = true;
  TRY(read());
  columns_ = declared_columns(wanted);
  return needs_key_ ? create_key() : Result<void>{};
}

Result<void> SqlShape::create_key() {
  if (!state_.key || declared_.rowid_column) return {};
  const std::string& column = state_.columns[*state_.key].name;
  const std::string wanted = declared_.name + "_by_" + column;
  LET(auto select, db_.prepare("SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE"));
  std::string name = wanted;
  for (int i = 2;; ++i) {
    LET(const auto count, select.one<std::int64_t>(std::string_view(name)));
    if (count.value_or(0) == 0) break;
    name = wanted + "_" + std::to_string(i);
  }
  return db_.exec("CREATE UNIQUE INDEX " + quoted_name(name) + " ON " +
                  quoted_name(declared_.name) + " (" + quoted_name(column) + ")");
}

// The final declaration: never narrower than the current one, and with the same rowid.
RowTable::State SqlShape::sealed_state() const {
  RowTable::State wanted = state_;
  wanted.rowid = declared_.rowid_column ? RowidFrom::key : RowidFrom::line;
  wanted.key = declared_.rowid_column;
  if (is_placeholder(declared_, wanted)) return wanted;
  const std::size_t known = std::min(wanted.columns.size(), declared_.columns.size());
  for (std::size_t i = 0; i < known; ++i) {
    wanted.columns[i].forced =
        std::max(wanted.columns[i].type(), type_declared(declared_.columns[i]));
  }
  // Only INTEGER can be the rowid, whatever the records contain: other values are refused.
  if (wanted.key && *wanted.key < known) wanted.columns[*wanted.key].forced = ColumnType::integer;
  return wanted;
}

Result<void> SqlShape::check_columns(const RowTable::State& wanted) const {
  if (is_placeholder(declared_, wanted)) return {};
  if (wanted.columns.size() < declared_.columns.size()) {
    return not_as_it_was(declared_.name, "it has more columns than before");
  }
  for (std::size_t i = 0; i < declared_.columns.size(); ++i) {
    if (declared_.columns[i].name == wanted.columns[i].name) continue;
    return not_as_it_was(declared_.name, "column " + declared_.columns[i].name +
                                             " used to be named " + wanted.columns[i].name);
  }
  return {};
}

Result<void> SqlShape::grow_ours() {
  const bool may_stay = state_.rowid == RowidFrom::database || state_.rowid == RowidFrom::undecided;
  if (!may_stay && declared_.rowid_column.has_value() != (state_.rowid == RowidFrom::key)) {
    return remake();
  }
  RowTable::State wanted = sealed_state();
  loosen(wanted);
  const std::string create = create_table(declared_.name, wanted);
  if (create != declared_.sql) {
    TRY(check_columns(wanted));
    TRY(rewrite(wanted, create));
    TRY(make_text(wanted));
    declared_.sql = create;
    declared_.columns = declared_columns(wanted);
  }
  columns_ = declared_.columns;
  return {};
}

// The file is read again with other rowids, after its rows were removed.
Result<void> SqlShape::remake() {
  const std::string name = quoted_name(declared_.name);
  LET(auto select, db_.prepare("SELECT 1 FROM " + name + " LIMIT 1"));
  LET(const auto row, select.one<std::int64_t>());
  if (row) return not_as_it_was(declared_.name, "its rows have unexpected rowids");
  TRY(db_.exec("DROP TABLE " + name));
  is_there_ = false;
  return create();
}

Result<void> SqlShape::rewrite(const RowTable::State& wanted, const std::string& create) {
  const std::size_t known = declared_.columns.size();
  const bool adds = wanted.columns.size() > known && !is_placeholder(declared_, wanted);
  if (adds) {
    // The first column by SQL: this marks the database as one whose rows may be shorter than the
    // table.
    TRY(db_.exec("ALTER TABLE " + quoted_name(declared_.name) + " ADD COLUMN " +
                 column_definition(wanted.columns[known])));
    RowTable::State before = wanted;
    before.columns.resize(known);
    const bool is_enough =
        wanted.columns.size() == known + 1 && create_table(declared_.name, before) == declared_.sql;
    if (is_enough) return {};
  }
  const TableText text{.name = declared_.name, .create = create};
  return rewrite_tables(db_, {&text, 1});
}

// A column that has numbers and no declared type is an unsealed REAL column.
Result<void> SqlShape::make_text(const RowTable::State& wanted) {
  if (is_placeholder(declared_, wanted)) return {};
  std::vector<std::string> columns;
  const std::size_t known = std::min(declared_.columns.size(), wanted.columns.size());
  for (std::size_t i = 0; i < known; ++i) {
    const Column& column = wanted.columns[i];
    const ColumnType before = type_declared(declared_.columns[i]);
    if (column.type() != ColumnType::text || before == ColumnType::text) continue;
    if (before == ColumnType::none && (column.seen & kSeenNumber) == 0) continue;
    columns.push_back(column.name);
  }
  if (columns.empty()) return {};
  return db_.exec(update_to_text(declared_.name, columns));
}

Result<void> SqlShape::grow_foreign() {
  columns_.clear();
  for (const Column& column : state_.columns) {
    auto& there = declared_.columns;
    const auto found = std::ranges::find_if(
        there, [&](const auto& one) { return is_same_name(one.name, column.name); });
    if (found != there.end()) {
      columns_.push_back(*found);
      continue;
    }
    if (std::ranges::any_of(declared_.generated,
                            [&](const auto& one) { return is_same_name(one, column.name); })) {
      return fail(
          Cure::give_up, "table",
          declared_.name + ": column " + column.name + " is generated and cannot be written");
    }
    TRY(db_.exec("ALTER TABLE " + quoted_name(declared_.name) + " ADD COLUMN " +
                 quoted_name(column.name)));
    columns_.push_back(there.emplace_back(DeclaredColumn{.name = column.name}));
  }
  return {};
}

}  // namespace tidemill::import
