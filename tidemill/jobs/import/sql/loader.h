// SqlLoader: stores batches with INSERT, on the writer thread.
//
// Tables are created with their first rows and grow as columns are found. A column is widened
// before the rows that need it are stored: its declared type is changed in the schema (with the
// procedure that SQLite documents for changes that do not affect stored rows), and if it becomes
// TEXT, the stored numbers are converted to text. A statement inserts several rows.
//
// In a database that is not fresh, a transaction holds complete files: commits come between files,
// at most one per second, so that after a kill a file is in the database with all of its rows and
// its row in the import log, or not at all. A table that is not ours is filled too, but its
// declared columns never change: if its column would alter a value, the row is a reject.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/loader.h"
#include "tidemill/jobs/import/options.h"

namespace tidemill::import {

struct SqlOptions {
  Mode mode = Mode::fresh;
  std::int64_t import = 0;  // its id in the import log
};

// The state of an existing table, so that rows can be made for it: its key, and its columns in
// their order, with their fields from the import log (or their own names); if the table is not
// ours, their types are forced to the declared ones. nullopt: no such table.
[[nodiscard]] Result<std::optional<RowTable::State>> look_at_table(store::Db& db,
                                                                   const std::string& name);

// One thread, that of the Db.
class SqlLoader final : public Loader {
 public:
  SqlLoader(store::Db& db, SqlOptions options, const Clock& clock);
  ~SqlLoader() override;

  [[nodiscard]] Result<void> prepare(RowBatch& batch, std::size_t worker) override;
  [[nodiscard]] Result<void> store(RowBatch& batch) override;
  [[nodiscard]] Result<void> begin_file(const SourceFile& file, std::uint64_t base) override;
  [[nodiscard]] Result<void> end_file(const SourceFile& file, const SourceRecord& record) override;
  [[nodiscard]] Result<void> drop_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> restart_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> finish() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::import
