// import_bare: what storing the rows of an import costs at the least when SQLite stores them.
//
//   import_bare DATABASE OUT     prints: rows, wall seconds, CPU seconds, wall seconds of the fsync
//
// The rows of DATABASE, one that `tidemill import` made, are read into memory. Then they go into
// the new database OUT, in the same tables, by an insert loop with the settings that were found to
// be the cheapest: 32 KiB pages, 2 MiB of cache, no journal, no sync, exclusive, no mutexes, no
// statistics of memory, 16 rows a statement, one transaction, keys ascending. Only inserts and
// commit are timed: nothing is read or decoded meanwhile. The fsync is timed apart, for an import
// has one and an insert loop need not.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "bench/macro/bare_sqlite.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/formats/sqlite_pages/cells.h"

namespace {

using tidemill::bench::bind;
using tidemill::bench::Db;
using tidemill::bench::exec;
using tidemill::bench::leave;
using tidemill::bench::prepare;
using tidemill::bench::Statement;
using tidemill::sqlite_pages::CellBatch;
using tidemill::sqlite_pages::CellType;
using tidemill::sqlite_pages::CellValue;

constexpr std::size_t kRowsAStatement = 16;
constexpr std::size_t kRowsAChunk = 256 * kRowsAStatement;  // decoded at once, outside of the clock

Db open_db(const char* path, int flags) {
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    leave(sqlite3_errmsg(db));
  return Db(db);
}

std::string text_at(sqlite3_stmt* statement, int at) {
  const unsigned char* text = sqlite3_column_text(statement, at);
  return text == nullptr ? std::string{} : reinterpret_cast<const char*>(text);
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

// The rows of one table, in portions that never move: a large value is only pointed to by Cells.
struct PrebuiltTable {
  std::string name{};
  std::string create{};
  std::size_t columns = 0;
  std::vector<CellBatch> chunks{};
  std::vector<std::unique_ptr<std::string>> large{};
};

CellValue value_at(sqlite3_stmt* row, int at, PrebuiltTable& table) {
  const auto bytes = [&](const void* from) {
    const std::string_view text(static_cast<const char*>(from),
                                static_cast<std::size_t>(sqlite3_column_bytes(row, at)));
    if (text.size() < tidemill::sqlite_pages::kLarge) return text;
    table.large.push_back(std::make_unique<std::string>(text));
    return std::string_view(*table.large.back());
  };
  switch (sqlite3_column_type(row, at)) {
    case SQLITE_INTEGER:
      return {.type = CellType::integer, .integer = sqlite3_column_int64(row, at)};
    case SQLITE_FLOAT:
      return {.type = CellType::real, .real = sqlite3_column_double(row, at)};
    case SQLITE_TEXT:
      return {.type = CellType::text, .bytes = bytes(sqlite3_column_text(row, at))};
    case SQLITE_BLOB:
      return {.type = CellType::blob, .bytes = bytes(sqlite3_column_blob(row, at))};
    default:
      return {.type = CellType::null};
  }
}

void read_rows(sqlite3* db, PrebuiltTable& table) {
  const Statement select =
      prepare(db, "select * from " + quoted_name(table.name) + " order by rowid");
  table.columns = static_cast<std::size_t>(sqlite3_column_count(select.get()));
  std::vector<CellValue> values(table.columns);
  int code = SQLITE_OK;
  while ((code = sqlite3_step(select.get())) == SQLITE_ROW) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value_at(select.get(), static_cast<int>(i), table);
    }
    if (table.chunks.empty() || table.chunks.back().rows().size() == kRowsAChunk) {
      table.chunks.emplace_back();
    }
    table.chunks.back().add(0, values);
  }
  if (code != SQLITE_DONE) leave(sqlite3_errmsg(db));
}

// Everything but what the program keeps for itself.
std::vector<PrebuiltTable> read_all(const char* path) {
  const Db db = open_db(path, SQLITE_OPEN_READONLY);
  const Statement list = prepare(db.get(), R"(
      select name, sql from sqlite_schema where type = 'table' and name <> '_rejects'
        and name not like 'sqlite\_%' escape '\' and name not like '\_tidemill\_%' escape '\')");
  std::vector<PrebuiltTable> tables;
  int code = SQLITE_OK;
  while ((code = sqlite3_step(list.get())) == SQLITE_ROW) {
    tables.push_back({.name = text_at(list.get(), 0), .create = text_at(list.get(), 1)});
    read_rows(db.get(), tables.back());
  }
  if (code != SQLITE_DONE) leave(sqlite3_errmsg(db.get()));
  return tables;
}

double now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Runs only between start() and stop().
class Stopwatch {
 public:
  void start() {
    wall_ -= now(CLOCK_MONOTONIC);
    cpu_ -= now(CLOCK_PROCESS_CPUTIME_ID);
  }
  void stop() {
    cpu_ += now(CLOCK_PROCESS_CPUTIME_ID);
    wall_ += now(CLOCK_MONOTONIC);
  }
  [[nodiscard]] double wall() const { return wall_; }
  [[nodiscard]] double cpu() const { return cpu_; }

 private:
  double wall_ = 0;
  double cpu_ = 0;
};

Statement prepare_insert(sqlite3* db, const PrebuiltTable& table, std::size_t rows) {
  std::string row = "(?";
  for (std::size_t i = 1; i < table.columns; ++i) row += ",?";
  row += ')';
  std::string sql = "insert into " + quoted_name(table.name) + " values " + row;
  for (std::size_t i = 1; i < rows; ++i) sql += "," + row;
  return prepare(db, sql);
}

// All values of as many rows as the statement holds.
void insert(sqlite3_stmt* statement, std::span<const CellValue> values) {
  int at = 0;
  int code = SQLITE_OK;
  for (const CellValue& value : values) code |= bind(statement, ++at, value);
  if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_DONE) {
    leave(sqlite3_errmsg(sqlite3_db_handle(statement)));
  }
  sqlite3_reset(statement);
}

// The values of all rows one behind the other, each row as wide as the table.
void decode(const PrebuiltTable& table, const CellBatch& chunk, std::vector<CellValue>& values) {
  std::vector<CellValue> row;
  values.clear();
  for (const auto& cell : chunk.rows()) {
    chunk.values(cell, row);
    row.resize(table.columns);  // what was left away is NULL
    values.insert(values.end(), row.begin(), row.end());
  }
}

std::uint64_t insert_all(sqlite3* db, const PrebuiltTable& table, Stopwatch& watch) {
  std::uint64_t rows = 0;
  std::vector<CellValue> values;
  watch.start();
  exec(db, table.create);
  const Statement many = prepare_insert(db, table, kRowsAStatement);
  const Statement one = prepare_insert(db, table, 1);
  watch.stop();
  for (const CellBatch& chunk : table.chunks) {
    decode(table, chunk, values);
    rows += chunk.rows().size();
    watch.start();
    std::span<const CellValue> rest = values;
    const std::size_t group = kRowsAStatement * table.columns;
    for (; rest.size() >= group; rest = rest.subspan(group)) insert(many.get(), rest.first(group));
    for (; !rest.empty(); rest = rest.subspan(table.columns)) {
      insert(one.get(), rest.first(table.columns));
    }
    watch.stop();
  }
  return rows;
}

double seconds_of_sync(const char* path) {
  const tidemill::Descriptor file(::open(path, O_RDWR | O_CLOEXEC));
  const double began = now(CLOCK_MONOTONIC);
  if (!file.is_open() || ::fsync(file.number()) != 0) leave("fsync failed");
  return now(CLOCK_MONOTONIC) - began;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: import_bare DATABASE OUT\n");
    return 2;
  }
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  const std::vector<PrebuiltTable> tables = read_all(argv[1]);
  ::unlink(argv[2]);
  Stopwatch watch;
  std::uint64_t rows = 0;
  watch.start();
  Db db = open_db(argv[2], SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  exec(db.get(),
       "pragma page_size=32768; pragma cache_size=-2048; pragma journal_mode=off;"
       "pragma synchronous=off; pragma secure_delete=off; pragma locking_mode=exclusive; begin");
  watch.stop();
  for (const PrebuiltTable& table : tables) rows += insert_all(db.get(), table, watch);
  watch.start();
  exec(db.get(), "commit");
  db.reset();
  watch.stop();
  std::printf("%llu %.6f %.6f %.6f\n", static_cast<unsigned long long>(rows), watch.wall(),
              watch.cpu(), seconds_of_sync(argv[2]));
  return 0;
}
