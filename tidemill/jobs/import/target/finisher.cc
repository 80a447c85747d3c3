#include "tidemill/jobs/import/target/finisher.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/sqlite_pages/row_count.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

Result<NameSet> names_in(store::Db& db) {
  NameSet names;
  LET(auto list, db.prepare("SELECT name FROM sqlite_schema"));
  TRY(list.rows<std::string>(std::tuple<>{},
                             [&](const std::string& name) { (void)names.take(name); }));
  return names;
}

const Column* column_of(const RowTable::State& state, std::string_view field) {
  for (const Column& column : state.columns) {
    if (!column.is_ours && column.field == field) return &column;
  }
  return nullptr;
}

Result<bool> has_row(store::Db& db, const std::string& sql) {
  LET(auto query, db.prepare(sql));
  LET(const auto found, query.one<std::int64_t>());
  return found.has_value();
}

Result<void> make_index(store::Db& db, NameSet& names, const RowTable& table, const Column& column,
                        bool is_unique, std::string_view ending) {
  const std::string name = names.take(table.name() + "_" + std::string(ending));
  return db.exec(std::string("CREATE ") + (is_unique ? "UNIQUE " : "") + "INDEX " +
                 quoted_name(name) + " ON " + quoted_name(table.name()) + " (" +
                 quoted_name(column.name) + ")");
}

Result<KeyState> make_key(store::Db& db, NameSet& names, const ImportOptions& options,
                          const RowTable& table, const Column& key) {
  const std::string rows = " FROM " + quoted_name(table.name());
  const std::string name = quoted_name(key.name);
  LET(const bool lacks, has_row(db, "SELECT 1" + rows + " WHERE " + name + " IS NULL LIMIT 1"));
  // Checked before the index is created: a database without a journal cannot roll back a statement.
  LET(const bool is_double,
      has_row(db, "SELECT 1" + rows + " WHERE " + name + " IS NOT NULL GROUP BY " + name +
                      " HAVING count(*) > 1 LIMIT 1"));
  if (!lacks && !is_double) {
    TRY(make_index(db, names, table, key, true, "key"));
    return KeyState::unique;
  }
  if (!options.key.empty()) TRY(make_index(db, names, table, key, false, "key"));
  return is_double ? KeyState::doubled : KeyState::missing;
}

Result<std::uint64_t> count_of(store::Db& db, const std::string& table, bool is_whole) {
  if (is_whole) {  // no other process has the file, and it has no write-ahead log
    LET(auto query, db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?"));
    LET(const auto root, query.one<std::int64_t>(std::string_view(table)));
    return sqlite_pages::count_rows(db.path(), static_cast<std::uint32_t>(root.value_or(0)));
  }
  LET(auto query, db.prepare("SELECT count(*) FROM " + quoted_name(table)));
  LET(const auto found, query.one<std::int64_t>());
  return static_cast<std::uint64_t>(found.value_or(0));
}

Result<void> check_integrity(store::Db& db, const std::string& pragma) {
  std::string wrong;
  LET(auto check, db.prepare(pragma));
  TRY(check.rows<std::string>(std::tuple<>{}, [&](const std::string& line) {
    if (line != "ok" && wrong.empty()) wrong = line;
  }));
  if (wrong.empty()) return {};
  return fail(Cure::give_up, "verify", "SQLite reports a damaged database: " + wrong);
}

}  // namespace

std::string_view name_of(KeyState state) {
  switch (state) {
    case KeyState::none:
      return "none";
    case KeyState::rowid:
      return "rowid";
    case KeyState::unique:
      return "unique";
    case KeyState::kept:
      return "kept";
    case KeyState::doubled:
      return "doubled";
    case KeyState::missing:
      return "missing";
  }
  return "none";
}

Result<std::vector<KeyReport>> make_keys(store::Db& db, const ImportOptions& options,
                                         const std::vector<RowTable*>& tables) {
  std::vector<KeyReport> reports;
  if (!options.has_key) return reports;
  LET(NameSet names, names_in(db));
  const std::string field(options.key_field());
  for (const RowTable* table : tables) {
    if (table->parent() != nullptr) continue;
    const RowTable::State state = table->state();
    const Column* key = column_of(state, path_part(field));
    KeyReport report{.table = table, .column = key != nullptr ? key->name : field};
    if (key != nullptr && state.rowid == RowidFrom::key) {
      report.state = KeyState::rowid;
    } else if (state.rowid == RowidFrom::database && state.key &&
               &state.columns[*state.key] == key) {
      report.state = KeyState::kept;
    } else if (key != nullptr && options.mode != Mode::upsert) {
      LET(const bool is_ours, ImportLog(db).is_ours(table->name()));
      if (state.rowid != RowidFrom::database || (!state.key && is_ours)) {
        LET(report.state, make_key(db, names, options, *table, *key));
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<void> make_indices(store::Db& db, const ImportOptions& options,
                          const std::vector<RowTable*>& tables,
                          const std::vector<KeyReport>& keys) {
  if (options.indices.empty()) return {};
  LET(NameSet names, names_in(db));
  for (const RowTable* table : tables) {
    const RowTable::State state = table->state();
    for (const Column& column : state.columns) {
      for (const std::string& wanted : options.indices) {
        if (column.name != wanted && column.field != wanted) continue;
        if (names.has(table->name() + "_" + column.name)) continue;  // of an earlier import
        if (std::ranges::any_of(keys, [&](const KeyReport& key) {
              return key.table == table && key.column == column.name &&
                     (key.state == KeyState::rowid || key.state == KeyState::unique ||
                      key.state == KeyState::kept);
            })) {
          continue;
        }
        TRY(make_index(db, names, *table, column, false, column.name));
      }
    }
  }
  return {};
}

Result<void> verify(store::Db& db, const std::map<std::string, std::uint64_t>& rows,
                    const std::vector<RowTable*>& tables, bool is_whole) {
  for (const auto& [table, expected] : rows) {
    LET(const std::uint64_t found, count_of(db, table, is_whole));
    if (found == expected) continue;
    return fail(Cure::give_up, "verify",
                "table " + table + " has " + text::count_text(found) + " rows, expected " +
                    text::count_text(expected));
  }
  // Every page is read once, so a large cache is useless.
  TRY(db.exec("PRAGMA cache_size = 20"));
  if (is_whole) return check_integrity(db, "PRAGMA integrity_check(1)");
  for (const RowTable* table : tables) {
    TRY(check_integrity(db, "PRAGMA integrity_check(" + quoted_name(table->name()) + ")"));
  }
  return {};
}

}  // namespace tidemill::import
