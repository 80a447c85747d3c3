#include "tidemill/jobs/import/sql/loader.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#ifdef TIDEMILL_PLANT
#include <cstdlib>
#endif
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/rejects.h"
#include "tidemill/jobs/import/sql/table.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

constexpr std::chrono::seconds kBetweenCommits{1};
constexpr std::size_t kMostReady = 64;  // tables that keep their statements after a file

std::unexpected<Failure> cannot_replace(const std::string& file, const std::string& table,
                                        const std::string& why) {
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "replace",
              .reason = file + " has changed, but its rows in table " + table +
                        " cannot be told apart from others: " + why,
              .hint = "rebuild the database with --replace, or import the file with --append"});
}

#ifdef TIDEMILL_PLANT  // planted faults, see tests/faults
bool is_planted(std::string_view fault) {
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  return plant != nullptr && fault == plant;
}
#endif

}  // namespace

struct SqlLoader::State {
  State(store::Db& database, SqlOptions chosen, const Clock& time)
      : db(database),
        options(chosen),
        clock(time),
        import_log(database),
        rejects(database, chosen.mode == Mode::fresh),
        last_commit(time.now()) {}

  store::Db& db;
  const SqlOptions options;
  const Clock& clock;
  ImportLog import_log;
  SqlRejects rejects;
  std::map<const RowTable*, SqlTable> tables{};
  Instant last_commit;
  bool has_import_log = false;
  std::set<const RowTable*> unsealed{};  // since the last commit

  // The current file.
  bool is_open = false;
  std::string file{};
  std::uint64_t base = 0;
  std::map<const RowTable*, std::int64_t> touched{};  // with the first rowid the file can have
  std::set<std::size_t> refused_lines{};              // of the batch

  [[nodiscard]] bool is_fresh() const { return options.mode == Mode::fresh; }

  SqlTable& table_for(const RowTable& table) {
    return tables.try_emplace(&table, db, table, options.mode).first->second;
  }

  Result<void> begin() {
    if (!db.in_transaction()) TRY(db.exec(is_fresh() ? "BEGIN" : "BEGIN IMMEDIATE"));
    if (!std::exchange(has_import_log, true)) return import_log.make();
    return {};
  }

  Result<void> commit() {
    std::vector<TableText> texts;
    for (const RowTable* table : unsealed) {
      LET(auto text, table_for(*table).shape().unsealed());
      if (text) texts.push_back(*std::move(text));
    }
    TRY(rewrite_tables(db, texts));
    for (const RowTable* table : unsealed) table_for(*table).shape().has_been_sealed();
    unsealed.clear();
    TRY(db.exec("COMMIT"));
    last_commit = clock.now();
    return {};
  }

  void forget_all() {
    for (auto& [table, one] : tables) one.forget();
  }

  Result<void> roll_back_file() {
    TRY(db.exec("ROLLBACK TO file"));
    forget_all();
    return {};
  }

  // Rolls back the file's part of the transaction, and ends it.
  Result<void> abandon_file() {
    if (!std::exchange(is_open, false) || is_fresh()) return {};
    TRY(roll_back_file());
    return db.exec("RELEASE file");
  }

  Result<void> store_rows(RowBatch& batch, TableRows& rows);
  Result<void> touch(const RowTable& table);
  Result<void> remove_fresh_rows();
  Result<void> remove_known_rows(const SourceFile& source);
};

SqlLoader::SqlLoader(store::Db& db, SqlOptions options, const Clock& clock)
    : state_(std::make_unique<State>(db, options, clock)) {}

// Rolls back what is not committed. A fresh database has no journal and cannot roll back, but its
// file is discarded.
SqlLoader::~SqlLoader() {
  if (state_->is_fresh() || !state_->db.in_transaction()) return;
  state_->tables.clear();
  (void)state_->db.exec("ROLLBACK");
}

Result<void> SqlLoader::prepare(RowBatch& /*batch*/, std::size_t /*worker*/) { return {}; }

Result<void> SqlLoader::store(RowBatch& batch) {
  TRY(state_->begin());
  state_->refused_lines.clear();
  // If a row is refused, the rows of its lists are dropped too: so parent tables come first.
  for (const bool is_child : {false, true}) {
    for (TableRows& rows : batch.tables) {
      if (rows.table == nullptr || (rows.table->parent() != nullptr) != is_child) continue;
      TRY(state_->store_rows(batch, rows));
    }
  }
  return state_->rejects.store(batch.rejects.cells);
}

Result<void> SqlLoader::State::store_rows(RowBatch& batch, TableRows& rows) {
  rows.refused = 0;
  if (rows.cells.is_empty()) return {};
  SqlTable& into = table_for(*rows.table);
  TRY(touch(*rows.table));
  SqlTable::IsWanted is_wanted;
  if (rows.table->parent() != nullptr && !refused_lines.empty()) {
    const RowidFrom rowid = rows.table->state().rowid;
    is_wanted = [this, &batch, &rows, rowid](const sqlite_pages::CellRow& row) {
      const auto line = line_of(batch, row, rowid);
      const bool is_lost = line && refused_lines.contains(*line);
      if (is_lost) ++rows.refused;
      return !is_lost;
    };
  }
  return into.store(
      rows.cells, is_wanted,
      [&](const sqlite_pages::CellRow& row, RowidFrom rowid, const std::string& reason) {
        ++rows.refused;
        if (const auto line = line_of(batch, row, rowid)) {
          refused_lines.insert(*line);
        }
        return rejects.refuse(file, batch, row, rowid, reason);
      });
}

// Remembers the first rowid, so that the file's rows can be removed in a database that cannot roll
// back.
Result<void> SqlLoader::State::touch(const RowTable& table) {
  unsealed.insert(&table);
  if (touched.contains(&table)) return {};
  std::int64_t first = 0;
  if (is_fresh()) {
    LET(first, table_for(table).first_rowid(base));
  }
  touched.emplace(&table, first);
  return {};
}

Result<void> SqlLoader::State::remove_fresh_rows() {
  for (const auto& [table, first] : touched) TRY(table_for(*table).remove_from(first));
  touched.clear();
  return rejects.remove(file, base);
}

Result<void> SqlLoader::State::remove_known_rows(const SourceFile& source) {
  LET(const auto known, import_log.file(source.name));
  if (!known) return {};
  LET(const auto others, import_log.others_in(known->table, source.name));
  if (others > 0)
    return cannot_replace(source.name, known->table, "it has rows of other files too");
  LET(const auto names, import_log.family(known->table));
  for (const std::string& name : names) {
    LET(const auto declared, read_declared(db, name));
    if (!declared) continue;  // it was dropped since
    LET(const bool is_made_by_us, import::is_ours(db, *declared));
    if (!is_made_by_us)
      return cannot_replace(source.name, name, "the table was not created by an import");
    TRY(db.exec("DELETE FROM " + quoted_name(name)));
  }
  return rejects.remove(source.name, std::nullopt);
}

Result<void> SqlLoader::begin_file(const SourceFile& file, std::uint64_t base) {
  TRY(state_->abandon_file());
  TRY(state_->begin());
  state_->file = file.name;
  state_->base = base;
  state_->touched.clear();
  state_->is_open = true;
#ifdef TIDEMILL_PLANT  // a file is recorded before its rows are stored
  if (is_planted("import_log")) {
    struct stat now{};
    (void)::stat(file.path.c_str(), &now);
    TRY(state_->import_log.put_file(file, {.stamp = stamp_of(now)}, state_->options.import));
    TRY(state_->commit());
    TRY(state_->begin());
  }
#endif
  if (state_->is_fresh()) return {};
  TRY(state_->db.exec("SAVEPOINT file"));
  if (state_->options.mode != Mode::incremental) return {};
  return state_->remove_known_rows(file);
}

Result<void> SqlLoader::end_file(const SourceFile& file, const SourceRecord& record) {
  State& state = *state_;
  TRY(state.begin());
  if (file.table != nullptr) TRY(state.touch(*file.table));  // the table exists even without rows
  for (const auto& [table, first] : state.touched) {
    SqlTable& one = state.table_for(*table);
    TRY(one.shape().follow());
    TRY(one.shape().record(state.import_log));
    if (state.tables.size() > kMostReady) one.release();
  }
  TRY(state.import_log.put_file(file, record, state.options.import));
  state.touched.clear();
  if (!std::exchange(state.is_open, false) || state.is_fresh()) return {};
  TRY(state.db.exec("RELEASE file"));
  if (state.clock.now() - state.last_commit < kBetweenCommits) return {};
  return state.commit();
}

// Tables that only this file has filled are dropped too.
Result<void> SqlLoader::drop_file(const SourceFile& /*file*/) {
  State& state = *state_;
  if (!state.is_fresh() || !state.is_open) return state.abandon_file();
  const auto touched = state.touched;
  TRY(state.remove_fresh_rows());
  for (const auto& [table, first] : touched) {
    state.tables.erase(table);  // and its statements
    LET(auto select, state.db.prepare("SELECT 1 FROM " + quoted_name(table->name()) + " LIMIT 1"));
    LET(const auto row, select.one<std::int64_t>());
    if (row) continue;
    TRY(state.db.exec("DROP TABLE " + quoted_name(table->name())));
    TRY(state.import_log.drop_table(table->name()));
    state.unsealed.erase(table);
  }
  return state.abandon_file();
}

Result<void> SqlLoader::restart_file(const SourceFile& file) {
  if (!state_->is_open) return {};
  if (state_->is_fresh()) return state_->remove_fresh_rows();
  TRY(state_->roll_back_file());
  if (state_->options.mode != Mode::incremental) return {};
  return state_->remove_known_rows(file);
}

Result<void> SqlLoader::finish() {
  TRY(state_->abandon_file());
  TRY(state_->begin());
#ifdef TIDEMILL_PLANT  // the import is marked as ended before the outcome is reported
  if (is_planted("ended")) TRY(state_->import_log.end_import(state_->options.import));
#endif
  return state_->commit();
}

}  // namespace tidemill::import
