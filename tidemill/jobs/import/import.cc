// The source files of this job, in the order of the data flow:
//   options, verb, dry_run       the command line, and the preview
//   read/: sources, planner      which files, into which tables
//   target/: target              the database
//   import_pipeline, flow        the threads
//   read/: reader                files become blocks of lines
//   rows/: maker, state, turn    lines become rows or rejects: walk, rehearse, settle, scalar,
//                                unescape, view, languages, column_type
//   rows/: table, tables, names  the state of the tables meanwhile
//   loader                       the interface of the two loaders:
//     pages/: page_loader        rows become pages of a new database,
//     sql/: loader, table, …     or rows of any database
//   target/: import_log          the records of imports inside the database
//   target/: finisher            keys, indices and verification
//   rows/: widenings             the columns that were widened; outcome, report, text
//   target/: ending              marks the import as complete (pages/: part_file)
#include "tidemill/jobs/import/import.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/jobs/import/import_pipeline.h"
#include "tidemill/jobs/import/pages/page_loader.h"
#include "tidemill/jobs/import/read/planner.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/languages.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/rows/widenings.h"
#include "tidemill/jobs/import/sql/loader.h"
#include "tidemill/jobs/import/target/finisher.h"
#include "tidemill/jobs/import/target/import_log.h"
#include "tidemill/jobs/import/target/target.h"
#include "tidemill/state/history/history_recorder.h"

namespace tidemill::import {
namespace {

std::size_t workers_of(const ImportOptions& options) {
  constexpr std::size_t kMost = 32;
  if (options.workers > 0) return std::min(options.workers, kMost);
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMost);
}

// One thread.
class Import {
 public:
  Import(const ImportOptions& options, command::Context& context)
      : options_(options),
        context_(context),
        is_fresh_(options.mode == Mode::fresh),
        has_pages_(is_fresh_ && options.writing == Writing::pages),
        workers_(workers_of(options)) {}

  // One phase per line. Until place() a fresh import is not visible under its name.
  Result<Imported> run() {
    const Instant begun = context_.clock.now();
    LET(sources_, find_sources(options_, context_.stop));
    LET(target_, ImportTarget::take(options_));
    TRY(plan());
    TRY(make_loader());
    TRY(pipeline());
    TRY(loader_->finish());
    TRY(finish());
    TRY(target_->place());
    tell_files();
    outcome_.elapsed = context_.clock.now() - begun;
    Imported imported{.outcome = std::move(outcome_)};
    if (!is_fresh_) imported.ending = ImportEnding(std::move(target_), plan_.import);
    return imported;
  }

 private:
  Result<void> plan() {
    outcome_.files_found = sources_.files.size() + sources_.failures.size();
    outcome_.failures = sources_.failures;
    tables_ = std::make_unique<Tables>(taken_names());
    if (is_fresh_) {
      plan_ = plan_fresh(options_, sources_.files, *tables_);
      return {};
    }
    TRY(open());
    LET(plan_, plan_joining(options_, sources_.files, *tables_, *db_));
    outcome_.files_skipped = plan_.skipped;
    outcome_.notes = plan_.notes;
    std::ranges::move(plan_.failures, std::back_inserter(outcome_.failures));
    return {};
  }

  Result<void> open() {
    if (db_) return {};
    LET(auto db, target_->open());
    db_ = std::make_unique<store::Db>(std::move(db));
    return {};
  }

  Result<void> make_loader() {
    outcome_.writer = has_pages_ ? "pages" : "sql";
    if (has_pages_) {
      LET(loader_, PageLoader::make(options_, workers_, *target_, *tables_));
      return {};
    }
    TRY(open());
    if (is_fresh_) {
      ImportLog import_log(*db_);
      TRY(import_log.make());
      LET(plan_.import, import_log.begin_import(name_of(Mode::fresh), ""));
    }
    loader_ = std::make_unique<SqlLoader>(
        *db_, SqlOptions{.mode = options_.mode, .import = plan_.import}, context_.clock);
    return {};
  }

  Result<void> pipeline() {
    const RowRules rules{.keeps_absent = options_.mode == Mode::upsert,
                         .shares_table = !options_.table.empty()};
    ImportPipeline pipeline(options_, rules, *tables_, *loader_, plan_.files, workers_, context_);
    history::HistoryRecorder history(context_.history, context_.clock);
    LET(const auto reporter, engine::ProgressReporter::start(
                                 {}, [&] { return pipeline.progress(); },
                                 [&](const engine::ProgressSnapshot& snapshot) {
                                   history.observe(snapshot);
                                   context_.console.show(snapshot);
                                 },
                                 context_.clock));
    for (const SourceFailure& failure : outcome_.failures) tell_failure(failure, context_.console);
    LET(result_, pipeline.run());
    if (is_fresh_ && result_.done.empty()) {
      return fail(Cure::give_up, "read",
                  "no file could be read; first: " + text_of(result_.failures.front()));
    }
    if (target_->replaces_old()) TRY(require_a_row());
    return {};
  }

  // If every line is rejected, that is probably a mistake, and the old rows would be lost.
  Result<void> require_a_row() const {
    if (result_.counts.rows > 0 || result_.rejects.empty()) return {};
    const auto& [what, group] = *result_.rejects.begin();
    return std::unexpected(Failure{
        .cure = Cure::give_up,
        .step = "--replace",
        .reason = "no line could be imported; first: " + what.first + ":" +
                  std::to_string(group.first_line) + ": " + what.second,
        .hint =
            "import into a new database to see the rejects; " + options_.into + " is unchanged"});
  }

  // The tables of imported files, and the child tables of their lists.
  [[nodiscard]] std::vector<RowTable*> filled_tables() const {
    std::unordered_set<const RowTable*> filled(plan_.filled.begin(), plan_.filled.end());
    for (const SourceFile* file : result_.done) filled.insert(file->table);
    std::vector<RowTable*> tables = tables_->all();  // a child comes after its parent
    std::erase_if(tables, [&](const RowTable* table) {
      return !filled.contains(table) &&
             (!filled.contains(table->parent()) || !filled.insert(table).second);
    });
    return tables;
  }

  Result<void> finish() {
    TRY(open());
    const std::vector<RowTable*> tables = filled_tables();
    std::vector<KeyReport> keys;
    {
      LET(auto transaction, store::Transaction::begin(*db_));
      LET(keys, make_keys(*db_, options_, tables));
      TRY(make_indices(*db_, options_, tables, keys));
      if (is_fresh_ && !has_pages_) TRY(ImportLog(*db_).end_import(plan_.import));
      TRY(transaction.commit());
    }
    tell_tables(tables, keys);
    if (is_fresh_) tell_unknown_columns(tables);
    if (options_.verify) {
      std::map<std::string, std::uint64_t> rows;
      if (is_fresh_ || options_.mode == Mode::incremental) {
        for (const auto& [table, count] : result_.table_rows) rows[table->name()] = count;
      }
      TRY(verify(*db_, rows, tables, is_fresh_));
      outcome_.is_verified = true;
    }
    loader_.reset();
    db_.reset();
    return {};
  }

  void tell_tables(const std::vector<RowTable*>& tables, const std::vector<KeyReport>& keys) {
    std::unordered_map<const RowTable*, const SourceFile*> files;  // the first of each
    for (const SourceFile* file : result_.done) files.try_emplace(file->table, file);
    std::unordered_map<const RowTable*, const KeyReport*> by_table;
    for (const KeyReport& key : keys) by_table.emplace(key.table, &key);
    for (const RowTable* table : tables) {
      const RowTable::State state = table->state();
      TableOutcome entry{.name = table->name(), .columns = state.columns.size()};
      if (const auto rows = result_.table_rows.find(table); rows != result_.table_rows.end()) {
        entry.rows = rows->second;
      }
      if (const auto file = files.find(table); file != files.end()) entry.file = file->second->path;
      if (const auto key = by_table.find(table); key != by_table.end()) {
        entry.key = key->second->column;
        entry.key_state = name_of(key->second->state);
        tell_key(*key->second);
      }
      outcome_.tables.push_back(std::move(entry));
      for (Widening& widened : widenings_of(table->name(), state)) {
        widened.path = sources_.files[widened.file].path;
        outcome_.widened.push_back(std::move(widened));
      }
    }
  }

  // Columns that the options name and no table has: probably typing errors.
  void tell_unknown_columns(const std::vector<RowTable*>& tables) {
    std::set<std::string, std::less<>> named(options_.indices.begin(), options_.indices.end());
    for (const auto& [column, type] : options_.types) named.insert(column);
    for (const RowTable* table : tables) {
      for (const Column& column : table->state().columns) {
        named.erase(column.name);
        named.erase(column.field);
      }
    }
    for (const std::string& name : named) {
      outcome_.notes.push_back("No such column: " + text::printable(name) + ".");
    }
  }

  void tell_key(const KeyReport& key) {
    const bool is_asked = !options_.key.empty();
    const std::string where = "Table " + text::printable(key.table->name()) + ": ";
    const std::string column = text::printable(key.column);
    if (key.state == KeyState::doubled) {
      outcome_.notes.push_back(where + column + " is not a key: several rows have the same value.");
    } else if (key.state == KeyState::missing) {
      outcome_.notes.push_back(where + column + " is not a key: some rows have no value.");
    } else if (key.state == KeyState::none && is_asked && !key.table->state().columns.empty() &&
               key.table->state().rowid != RowidFrom::database) {
      outcome_.notes.push_back(where + "no such column: " + column + ".");
    } else {
      return;
    }
    outcome_.is_key_refused = outcome_.is_key_refused || is_asked;
  }

  void tell_files() {
    outcome_.files_done = result_.done.size();
    outcome_.counts = result_.counts;
    outcome_.bytes = result_.bytes;
    std::ranges::move(result_.failures, std::back_inserter(outcome_.failures));
    for (const auto& [what, group] : result_.rejects) {
      outcome_.rejects.push_back({.file = what.first,
                                  .reason = what.second,
                                  .count = group.count,
                                  .first_line = group.first_line});
    }
    for (const std::string& path : result_.changed) {
      outcome_.notes.push_back(text::printable(path) +
                               " changed while being read; imported as read.");
    }
    if (result_.has_lists_as_text) {
      outcome_.notes.push_back("The limit of " + text::count_text(Tables::kMostChildren) +
                               " child tables was reached; other lists are stored as JSON text.");
    }
    std::string languages;
    for (const std::string_view language : kLanguages) {
      if ((result_.languages_left_out & language_bit(language)) == 0) continue;
      languages += (languages.empty() ? "" : ", ") + std::string(language);
    }
    if (!languages.empty()) outcome_.notes.push_back("Languages not imported: " + languages + ".");
  }

  const ImportOptions& options_;
  command::Context& context_;
  const bool is_fresh_;
  const bool has_pages_;
  const std::size_t workers_;
  SourceList sources_{};
  std::unique_ptr<ImportTarget> target_{};
  std::unique_ptr<Tables> tables_{};
  ReadPlan plan_{};
  std::unique_ptr<store::Db> db_{};
  std::unique_ptr<Loader> loader_{};  // destroyed before db_
  PipelineResult result_{};
  ImportOutcome outcome_{};
};

}  // namespace

Result<Imported> run_import(const ImportOptions& options, command::Context& context) {
  auto imported = Import(options, context).run();
  // For the user this is the same as a database that was in use from the beginning.
  if (!imported && store::is_busy(imported.error())) {
    imported.error().kind = FailureKind::held;
    imported.error().step = "lock";
  }
  return imported;
}

}  // namespace tidemill::import
