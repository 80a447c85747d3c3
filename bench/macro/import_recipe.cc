// import_recipe: a folder of JSONL files into SQLite as is usually advised, read and parsed by us.
//
//   import_recipe FOLDER DATABASE
//
// Reader, parser and threads are those of `tidemill import`, with two workers; only how rows are
// stored differs: write-ahead log, synchronous NORMAL, pages of 4 KiB, 64 MB of cache, a prepared
// statement of one row, a commit every 1,000 rows. So the ratio to `tidemill import` says what its
// way of storing is worth. No ledger, no keys but INTEGER PRIMARY KEY, no check at the end.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "bench/macro/bare_sqlite.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/jobs/import/import_pipeline.h"
#include "tidemill/jobs/import/loader.h"
#include "tidemill/jobs/import/read/planner.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/ui/command/context.h"

namespace {

namespace import = tidemill::import;
using tidemill::Cure;
using tidemill::Result;
using tidemill::bench::bind;
using tidemill::bench::Db;
using tidemill::bench::exec;
using tidemill::bench::leave;
using tidemill::bench::prepare;
using tidemill::bench::Statement;
using tidemill::import::quoted_name;
using tidemill::import::RowidFrom;
using tidemill::import::RowTable;
using tidemill::sqlite_pages::CellType;
using tidemill::sqlite_pages::CellValue;

constexpr std::size_t kWorkers = 2;
constexpr std::uint64_t kRowsACommit = 1'000;

// One thread, but for prepare(), which does nothing.
class RecipeLoader final : public import::Loader {
 public:
  explicit RecipeLoader(const char* path) {
    sqlite3* db = nullptr;
    if (sqlite3_open(path, &db) != SQLITE_OK) leave(sqlite3_errmsg(db));
    db_.reset(db);
    exec(db,
         "pragma page_size=4096; pragma journal_mode=wal; pragma synchronous=normal;"
         "pragma cache_size=-64000; begin");
  }

  Result<void> prepare(import::RowBatch& /*batch*/, std::size_t /*worker*/) override { return {}; }

  Result<void> store(import::RowBatch& batch) override {
    if (batch.counts.rejected > 0) return tidemill::fail(Cure::give_up, "store", "a reject");
    for (const import::TableRows& rows : batch.tables) store(rows);
    return {};
  }

  Result<void> begin_file(const import::SourceFile& /*file*/, std::uint64_t /*base*/) override {
    return {};
  }
  Result<void> end_file(const import::SourceFile& /*file*/,
                        const import::SourceRecord& /*record*/) override {
    return {};
  }
  Result<void> drop_file(const import::SourceFile& file) override {
    return tidemill::fail(Cure::give_up, "read", file.path);
  }
  Result<void> restart_file(const import::SourceFile& file) override {
    Made& made = made_[file.table];
    made.insert.reset();
    if (made.columns > 0) exec(db_.get(), "drop table " + quoted_name(file.table->name()));
    made = {};
    return {};
  }

  Result<void> finish() override {
    exec(db_.get(), "commit");
    made_.clear();
    db_.reset();  // the last one copies the log into the database
    return {};
  }

 private:
  struct Made {
    std::uint64_t version = 0;
    std::size_t columns = 0;
    bool has_key = false;  // one that is the rowid
    std::size_t key = 0;
    Statement insert{};
  };

  void bring_up_to_date(const RowTable& table, Made& made) {
    if (made.version == table.version()) return;
    made.version = table.version();
    const RowTable::State state = table.state();
    if (state.columns.empty()) return;
    if (made.columns == 0) {
      exec(db_.get(), create_table(table.name(), state));
    } else {
      for (std::size_t i = made.columns; i < state.columns.size(); ++i) {
        exec(db_.get(), "alter table " + quoted_name(table.name()) + " add column " +
                            quoted_name(state.columns[i].name));
      }
    }
    if (made.columns == state.columns.size()) return;
    made.columns = state.columns.size();
    made.has_key = state.rowid == RowidFrom::key && state.key;
    made.key = state.key.value_or(0);
    std::string marks = "?";
    for (std::size_t i = 1; i < made.columns; ++i) marks += ",?";
    made.insert = ::prepare(db_.get(),
                            "insert into " + quoted_name(table.name()) + " values (" + marks + ")");
  }

  void store(const import::TableRows& rows) {
    Made& made = made_[rows.table];
    bring_up_to_date(*rows.table, made);
    for (const tidemill::sqlite_pages::CellRow& row : rows.cells.rows()) {
      rows.cells.values(row, values_);
      values_.resize(made.columns);  // what was left away is NULL
      if (made.has_key) values_[made.key] = {.type = CellType::integer, .integer = row.rowid};
      insert(made.insert.get());
      if (++uncommitted_ < kRowsACommit) continue;
      exec(db_.get(), "commit; begin");
      uncommitted_ = 0;
    }
  }

  void insert(sqlite3_stmt* statement) {
    int at = 0;
    int code = SQLITE_OK;
    for (const CellValue& value : values_) code |= bind(statement, ++at, value);
    if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_DONE) {
      leave(sqlite3_errmsg(db_.get()));
    }
    sqlite3_reset(statement);
  }

  Db db_{};
  std::map<const RowTable*, Made> made_{};
  std::vector<CellValue> values_{};
  std::uint64_t uncommitted_ = 0;
};

// Thread-safe.
class SilentConsole final : public tidemill::command::Console {
 public:
  Result<void> out(std::string_view /*bytes*/) override { return {}; }
  Result<void> err(std::string_view /*bytes*/) override { return {}; }
  void say(tidemill::command::Tone /*tone*/, std::string_view /*text*/) override {}
  void show(const tidemill::engine::ProgressSnapshot& /*snapshot*/) override {}
};

template <class T>
T must(Result<T> result) {
  if (!result) leave(text_of(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: import_recipe FOLDER DATABASE\n");
    return 2;
  }
  const import::ImportOptions options{.sources = {argv[1]},
                                      .into = argv[2],
                                      .workers = kWorkers,
                                      .page_size = 32 * 1024,
                                      .longest_line = tidemill::mib(512)};
  SilentConsole console;
  tidemill::SilentLog log;
  const tidemill::SystemClock clock;
  const tidemill::command::Context context{.console = console, .log = log, .clock = clock};
  ::unlink(argv[2]);

  import::SourceList sources = must(find_sources(options, {}));
  import::Tables tables(import::taken_names());
  const import::ReadPlan plan = plan_fresh(options, sources.files, tables);
  RecipeLoader loader(argv[2]);
  import::ImportPipeline pipeline(options, {}, tables, loader, plan.files, kWorkers, context);
  const import::PipelineResult imported = must(pipeline.run());
  must(loader.finish());
  if (!imported.failures.empty()) leave("a file could not be read");
  std::printf("%llu rows\n", static_cast<unsigned long long>(imported.counts.rows));
  return 0;
}
