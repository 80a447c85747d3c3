// SqlLoader: batches into tables by INSERT, on the one writer thread.
//
// Tables are made when their first rows come and grow as columns are found; a column that must
// widen is widened before the rows that need it are stored: its declared type is changed in the
// schema (the procedure that SQLite documents for changes that leave the stored rows as they are),
// and on the way to TEXT the numbers that are there become text. Statements hold several rows. In a
// database that is not fresh, a transaction holds whole files: commits come between files, at most
// one a second, so that after a kill a file is in it with all its rows and its row in the ledger,
// or not at all. A table that is not ours is filled too, but never changed in what it declares: a
// value that its column would alter makes the row a reject.
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
  std::int64_t import = 0;  // its id in the ledger
};

// What an existing table looks like, so that rows can be made for it: its columns in their order,
// with their fields by the ledger (or their own names), forced to what they declare when the table
// is not ours; its key. Nothing: there is no such table.
[[nodiscard]] Result<std::optional<Table::State>> look_at_table(store::Db& db,
                                                                const std::string& name);

// One thread, that of the Db.
class SqlLoader final : public Loader {
 public:
  SqlLoader(store::Db& db, SqlOptions options, const Clock& clock);
  ~SqlLoader() override;

  [[nodiscard]] Result<void> prepare(Batch& batch, std::size_t worker) override;
  [[nodiscard]] Result<void> store(Batch& batch) override;
  [[nodiscard]] Result<void> begin_file(const SourceFile& file, std::uint64_t base) override;
  [[nodiscard]] Result<void> end_file(const SourceFile& file, const FileRecord& record) override;
  [[nodiscard]] Result<void> drop_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> restart_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> finish() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::import
