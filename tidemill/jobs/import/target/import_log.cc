#include "tidemill/jobs/import/target/import_log.h"

#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/sql/ddl.h"

namespace tidemill::import {
namespace {

// docs/formats/import.md describes these tables for users; every change needs a new version.
constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS _tidemill_imports (
  id INTEGER PRIMARY KEY, mode TEXT NOT NULL, arguments TEXT NOT NULL, begun INTEGER NOT NULL,
  ended INTEGER, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS _tidemill_files (
  name TEXT PRIMARY KEY, tbl TEXT NOT NULL, import INTEGER NOT NULL, device INTEGER NOT NULL,
  inode INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, hash BLOB, bytes INTEGER NOT NULL, lines INTEGER NOT NULL,
  "rows" INTEGER NOT NULL, blank INTEGER NOT NULL, rejected INTEGER NOT NULL,
  child_rows INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS _tidemill_files_by_tbl ON _tidemill_files (tbl);
CREATE TABLE IF NOT EXISTS _tidemill_tables (
  name TEXT PRIMARY KEY, parent TEXT, field TEXT, is_ours INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS _tidemill_columns (
  tbl TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, field TEXT NOT NULL,
  seen INTEGER NOT NULL, PRIMARY KEY (tbl, place)) WITHOUT ROWID;
)";

constexpr std::string_view kNow = "CAST(strftime('%s', 'now') AS INTEGER)";

Result<bool> has_table(store::Db& db, std::string_view name) {
  LET(auto select, db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
                              "name = ? COLLATE NOCASE"));
  LET(const auto count, select.one<std::int64_t>(name));
  return count.value_or(0) != 0;
}

// SQLite's integers are signed, these system numbers are unsigned.
std::int64_t stored(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::uint64_t restored(std::int64_t number) { return static_cast<std::uint64_t>(number); }

constexpr std::string_view kFileColumns =
    "name, tbl, import, device, inode, size, mtime_ns, ctime_ns, hash, bytes, lines, \"rows\", "
    "blank, rejected, child_rows";

using Text = std::string;
using Number = std::int64_t;

template <class Each>
Result<void> each_file(store::Statement& select, const auto& arguments, Each each) {
  return select.rows<Text, Text, Number, Number, Number, Number, Number, Number, Text, Number,
                     Number, Number, Number, Number, Number>(
      arguments, [&](const Text& name, Text table, Number import, Number device, Number inode,
                     Number size, Number mtime_ns, Number ctime_ns, Text hash, Number bytes,
                     Number lines, Number rows, Number blank, Number rejected, Number child_rows) {
        const FileStamp stamp{.device = restored(device),
                              .inode = restored(inode),
                              .size = restored(size),
                              .mtime_ns = mtime_ns,
                              .ctime_ns = ctime_ns};
        const LineCounts counts{.lines = restored(lines),
                                .rows = restored(rows),
                                .blank = restored(blank),
                                .rejected = restored(rejected),
                                .child_rows = restored(child_rows)};
        each(name, ImportedFile{.record = {.stamp = stamp,
                                           .hash = std::move(hash),
                                           .bytes = restored(bytes),
                                           .counts = counts},
                                .table = std::move(table),
                                .import = import});
      });
}

}  // namespace

std::string create_rejects() {
  return "CREATE TABLE " + quoted_name(kRejectsTable) +
         R"( ("file" TEXT, "line" INTEGER, "offset" INTEGER, "reason" TEXT, "text"))";
}

Result<bool> ImportLog::is_there() { return has_table(db_, "_tidemill_imports"); }

Result<void> ImportLog::make() {
  LET(const bool is_old, is_there());
  if (is_old) {
    LET(auto select, db_.prepare("SELECT max(version) FROM _tidemill_imports"));
    LET(const auto version, select.one<std::int64_t>());
    if (version.value_or(0) > kImportLogVersion) {
      return std::unexpected(Failure{.cure = Cure::give_up,
                                     .step = "import log",
                                     .reason = db_.path() + ": the import record has version " +
                                               std::to_string(version.value_or(0)) +
                                               ", but this program supports versions up to " +
                                               std::to_string(kImportLogVersion),
                                     .hint = "use a newer tidemill"});
    }
  }
  TRY(db_.exec(kTables));
  LET(const bool has_rejects, has_table(db_, kRejectsTable));
  if (!has_rejects) return db_.exec(create_rejects());
  auto fits = db_.prepare(R"(SELECT "file", "line", "offset", "reason", "text" FROM _rejects)");
  if (fits) return {};
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "import log",
              .reason = db_.path() + ": the table _rejects was not created by tidemill",
              .hint = "rename that table: import keeps rejected lines under this name"});
}

Result<std::vector<KnownImport>> ImportLog::unfinished_imports(std::string_view mode) {
  std::vector<KnownImport> all;
  LET(auto select, db_.prepare("SELECT id, arguments FROM _tidemill_imports WHERE ended IS NULL "
                               "AND mode = ? ORDER BY id DESC"));
  TRY((select.rows<Number, Text>(std::tuple(mode), [&](Number id, Text arguments) {
    all.push_back({.id = id, .arguments = std::move(arguments)});
  })));
  return all;
}

Result<std::int64_t> ImportLog::begin_import(std::string_view mode, std::string_view arguments) {
  LET(auto insert,
      db_.prepare(
          "INSERT INTO _tidemill_imports (mode, arguments, version, begun) VALUES (?, ?, ?, " +
          std::string(kNow) + ")"));
  TRY(insert.run(mode, arguments, kImportLogVersion));
  return db_.last_id();
}

Result<void> ImportLog::end_import(std::int64_t id) {
  LET(auto update,
      db_.prepare("UPDATE _tidemill_imports SET ended = " + std::string(kNow) + " WHERE id = ?"));
  return update.run(id);
}

Result<void> ImportLog::take_over_import(std::int64_t other, std::int64_t id) {
  LET(auto files, db_.prepare("UPDATE _tidemill_files SET import = ? WHERE import = ?"));
  TRY(files.run(id, other));
  return end_import(other);
}

Result<EndNote> ImportLog::note_of(std::int64_t id) {
  LET(auto select, db_.prepare("SELECT begun FROM _tidemill_imports WHERE id = ?"));
  LET(const auto begun, select.one<std::int64_t>(id));
  return EndNote{.import = id, .begun = begun.value_or(0)};
}

Result<void> ImportLog::take_back_end(const EndNote& note) {
  LET(const bool has_imports, is_there());
  if (!has_imports) return {};
  LET(auto update,
      db_.prepare("UPDATE _tidemill_imports SET ended = NULL WHERE id = ? AND begun = ?"));
  return update.run(note.import, note.begun);
}

Result<std::optional<ImportedFile>> ImportLog::file(std::string_view name) {
  std::optional<ImportedFile> found;
  LET(auto select,
      db_.prepare("SELECT " + std::string(kFileColumns) + " FROM _tidemill_files WHERE name = ?"));
  TRY(each_file(select, std::tuple(name),
                [&](const Text& /*name*/, ImportedFile known) { found = std::move(known); }));
  return found;
}

Result<std::map<std::string, ImportedFile>> ImportLog::files() {
  std::map<std::string, ImportedFile> all;
  LET(auto select, db_.prepare("SELECT " + std::string(kFileColumns) + " FROM _tidemill_files"));
  TRY(each_file(select, std::tuple(), [&](const Text& name, ImportedFile known) {
    all.emplace(name, std::move(known));
  }));
  return all;
}

Result<void> ImportLog::put_file(const SourceFile& file, const SourceRecord& record,
                                 std::int64_t import) {
  LET(auto insert,
      db_.prepare("INSERT OR REPLACE INTO _tidemill_files (" + std::string(kFileColumns) +
                  ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  const FileStamp& stamp = record.stamp;
  const LineCounts& counts = record.counts;
  const std::string_view table = file.table == nullptr ? "" : std::string_view(file.table->name());
  return insert.run(std::string_view(file.name), table, import, stored(stamp.device),
                    stored(stamp.inode), stored(stamp.size), stamp.mtime_ns, stamp.ctime_ns,
                    store::Blob{record.hash}, stored(record.bytes), stored(counts.lines),
                    stored(counts.rows), stored(counts.blank), stored(counts.rejected),
                    stored(counts.child_rows));
}

Result<void> ImportLog::touch_file(std::string_view name, const FileStamp& stamp) {
  LET(auto update, db_.prepare("UPDATE _tidemill_files SET device = ?, inode = ?, size = ?, "
                               "mtime_ns = ?, ctime_ns = ? WHERE name = ?"));
  return update.run(stored(stamp.device), stored(stamp.inode), stored(stamp.size), stamp.mtime_ns,
                    stamp.ctime_ns, name);
}

Result<std::int64_t> ImportLog::others_in(std::string_view table, std::string_view name) {
  LET(auto select, db_.prepare("SELECT count(*) FROM _tidemill_files WHERE tbl = ? AND name <> ?"));
  LET(const auto count, select.one<std::int64_t>(table, name));
  return count.value_or(0);
}

Result<void> ImportLog::put_table(const RowTable& table, bool is_ours) {
  LET(auto insert, db_.prepare("INSERT OR REPLACE INTO _tidemill_tables VALUES (?, ?, ?, ?)"));
  std::optional<std::string_view> parent;
  std::optional<std::string_view> field;
  if (table.parent() != nullptr) {
    parent = table.parent()->name();
    field = table.field();
  }
  return insert.run(std::string_view(table.name()), parent, field, is_ours ? 1 : 0);
}

Result<void> ImportLog::drop_table(std::string_view table) {
  LET(auto remove, db_.prepare("DELETE FROM _tidemill_tables WHERE name = ?"));
  return remove.run(table);
}

// A table that was created together with the database is not in _tidemill_tables.
Result<bool> ImportLog::is_ours(std::string_view table) {
  LET(auto select, db_.prepare("SELECT coalesce((SELECT is_ours FROM _tidemill_tables WHERE name = "
                               "?1), EXISTS (SELECT 1 FROM _tidemill_columns WHERE tbl = ?1) OR "
                               "EXISTS (SELECT 1 FROM _tidemill_files WHERE tbl = ?1))"));
  LET(const auto is_ours, select.one<std::int64_t>(table));
  return is_ours.value_or(0) != 0;
}

Result<std::vector<KnownChild>> ImportLog::children(std::string_view table) {
  std::vector<KnownChild> all;
  LET(auto select, db_.prepare("SELECT name, field FROM _tidemill_tables WHERE parent = ?"));
  TRY((select.rows<Text, Text>(std::tuple(table), [&](Text name, Text field) {
    all.push_back({.table = std::move(name), .field = std::move(field)});
  })));
  return all;
}

Result<std::vector<std::string>> ImportLog::family(std::string_view table) {
  std::vector<std::string> names;
  LET(auto select, db_.prepare("WITH RECURSIVE family(name) AS (VALUES (?1) UNION SELECT t.name "
                               "FROM _tidemill_tables t JOIN family f ON t.parent = f.name) "
                               "SELECT name FROM family"));
  TRY(select.rows<Text>(std::tuple(table), [&](Text name) { names.push_back(std::move(name)); }));
  return names;
}

Result<std::vector<KnownColumn>> ImportLog::columns(std::string_view table) {
  std::vector<KnownColumn> all;
  LET(auto select,
      db_.prepare("SELECT name, field, seen FROM _tidemill_columns WHERE tbl = ? ORDER BY place"));
  TRY((select.rows<Text, Text, Number>(std::tuple(table), [&](Text name, Text field, Number seen) {
    all.push_back(
        {.name = std::move(name), .field = std::move(field), .seen = static_cast<Seen>(seen)});
  })));
  return all;
}

Result<void> ImportLog::put_columns(std::string_view table, const RowTable::State& state) {
  LET(auto remove, db_.prepare("DELETE FROM _tidemill_columns WHERE tbl = ?"));
  TRY(remove.run(table));
  LET(auto insert, db_.prepare("INSERT INTO _tidemill_columns VALUES (?, ?, ?, ?, ?)"));
  std::int64_t place = 0;
  for (const Column& column : state.columns) {
    TRY(insert.run(table, place++, std::string_view(column.name), std::string_view(column.field),
                   std::int64_t{column.seen}));
  }
  return {};
}

}  // namespace tidemill::import
