#include "tidemill/jobs/import/sql/schema.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/sql/ddl.h"

namespace tidemill::import {
namespace {

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::unexpected<Failure> cannot_fill(std::string_view name, std::string_view what) {
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = "table",
      .reason = std::string(name) + " is " + std::string(what) + ": cannot insert rows into it",
      .hint = "use another name with --table, or another database"});
}

struct Kind {
  std::string type{};  // table, view, virtual, shadow
  bool has_rowid = true;
  bool is_strict = false;
};

Result<Kind> kind_of(store::Db& db, std::string_view name) {
  LET(auto select, db.prepare("SELECT type, wr, strict FROM pragma_table_list(?) "
                              "WHERE schema = 'main'"));
  LET(auto row, (select.first<std::string, std::int64_t, std::int64_t>(name)));
  if (!row) return Kind{};
  auto& [type, without_rowid, strict] = *row;
  return Kind{.type = std::move(type), .has_rowid = without_rowid == 0, .is_strict = strict != 0};
}

Result<void> read_columns(store::Db& db, const Kind& kind, Declared& table) {
  constexpr std::int64_t kHidden = 1;  // 2 and 3: generated
  std::vector<std::size_t> keys;
  LET(auto select, db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)"));
  TRY((select.rows<std::string, std::string, std::int64_t, std::int64_t>(
      std::tuple(std::string_view(table.name)),
      [&](std::string name, std::string type, std::int64_t key, std::int64_t hidden) {
        if (hidden >= kHidden) return table.generated.push_back(std::move(name));
        if (key > 0) keys.push_back(table.columns.size());
        const Affinity affinity = affinity_of(type, kind.is_strict);
        table.columns.push_back(
            {.name = std::move(name), .type = std::move(type), .affinity = affinity});
      })));
  if (keys.size() == 1) table.key = keys.front();
  return {};
}

// Columns that are the only column of a unique index over all rows, in the order of the indices.
Result<std::vector<std::string>> unique_columns(store::Db& db, const std::string& table) {
  std::vector<std::string> names;
  LET(auto select,
      db.prepare("SELECT min(c.name) FROM pragma_index_list(?1) i, pragma_index_info(i.name) c "
                 "WHERE i.\"unique\" AND NOT i.partial GROUP BY i.seq "
                 "HAVING count(*) = 1 AND min(c.name) IS NOT NULL ORDER BY i.seq"));
  TRY(select.rows<std::string>(std::tuple(std::string_view(table)),
                               [&](std::string name) { names.push_back(std::move(name)); }));
  return names;
}

// INTEGER PRIMARY KEY has no index of its own; every other primary key has one.
Result<void> find_rowid_column(store::Db& db, Declared& table) {
  if (!table.key || !table.has_rowid) return {};
  if (!is_same_name(table.columns[*table.key].type, "INTEGER")) return {};
  LET(auto select, db.prepare("SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'"));
  LET(const auto indices, select.one<std::int64_t>(std::string_view(table.name)));
  if (indices.value_or(0) == 0) table.rowid_column = table.key;
  return {};
}

// Without a primary key: the only unique column, or the one named _key.
Result<void> find_key(store::Db& db, Declared& table) {
  if (table.key) return {};
  LET(const auto names, unique_columns(db, table.name));
  std::optional<std::size_t> only;
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!is_same_name(table.columns[i].name, name)) continue;
      if (names.size() == 1 || name == "_key") only = i;
    }
  }
  table.key = only;
  return {};
}

}  // namespace

Affinity affinity_of(std::string_view declared, bool is_strict) {
  std::string type(declared);
  std::ranges::transform(type, type.begin(), upper);
  const auto has = [&](std::string_view part) { return type.contains(part); };
  if (type.empty() || (is_strict && type == "ANY")) return Affinity::none;
  if (has("INT")) return Affinity::integer;
  if (has("CHAR") || has("CLOB") || has("TEXT")) return Affinity::text;
  if (has("BLOB")) return Affinity::none;
  if (has("REAL") || has("FLOA") || has("DOUB")) return Affinity::real;
  return Affinity::numeric;
}

Result<std::optional<Declared>> read_declared(store::Db& db, std::string_view name) {
  LET(auto select, db.prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', "
                              "'view') AND name = ? COLLATE NOCASE"));
  LET(auto row, (select.first<std::string, std::string, std::string>(name)));
  if (!row) return std::nullopt;
  auto& [type, stored_name, sql] = *row;
  if (type == "view") return cannot_fill(name, "a view");
  LET(const Kind kind, kind_of(db, stored_name));
  if (kind.type != "table") return cannot_fill(name, "a " + kind.type + " table");
  Declared table{
      .name = std::move(stored_name), .sql = std::move(sql), .has_rowid = kind.has_rowid};
  TRY(read_columns(db, kind, table));
  TRY(find_rowid_column(db, table));
  TRY(find_key(db, table));
  return table;
}

Result<bool> is_unique(store::Db& db, const Declared& table, std::size_t column) {
  if (table.rowid_column == column) return true;
  LET(const auto names, unique_columns(db, table.name));
  return std::ranges::any_of(
      names, [&](const auto& name) { return is_same_name(name, table.columns[column].name); });
}

Result<void> rewrite_tables(store::Db& db, std::span<const TableText> tables) {
  if (tables.empty()) return {};
  LET(auto select, db.prepare("PRAGMA schema_version"));
  LET(const auto version, select.one<std::int64_t>());
  TRY(db.exec("PRAGMA writable_schema = ON"));
  auto written = [&]() -> Result<void> {
    LET(auto update,
        db.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?"));
    for (const TableText& table : tables) {
      TRY(update.run(std::string_view(table.create), std::string_view(table.name)));
    }
    return db.exec("PRAGMA schema_version = " + std::to_string(version.value_or(0) + 1));
  }();
  TRY(db.exec("PRAGMA writable_schema = OFF"));
  return written;
}

}  // namespace tidemill::import
