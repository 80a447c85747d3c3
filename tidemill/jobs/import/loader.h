// Loader: stores batches in the database. There are two: PageLoader (pages/page_loader.h) for a new
// database, SqlLoader (sql/loader.h) for any.
//
//   worker    make rows ── prepare(batch) ──┐   any order, any thread
//   writer                                  └── store(batch)   in order, always the same thread
//
// A failure ends the import, and unfinished work is discarded. A row that the database refuses (its
// key exists already) is not a failure: it is added to the rejects and counted in
// TableRows::refused, together with the rows of its lists, and the import continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/read/source_file.h"
#include "tidemill/jobs/import/rows/batch.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

class Loader {
 public:
  virtual ~Loader() = default;

  // `worker` is below the number of workers; calls with the same `worker` must not overlap.
  [[nodiscard]] virtual Result<void> prepare(RowBatch& batch, std::size_t worker) = 0;
  [[nodiscard]] virtual Result<void> store(RowBatch& batch) = 0;

  // For a batch that was prepared and will not be stored.
  virtual void discard(RowBatch& batch) { (void)batch; }

  // Before the first batch of a file; removes its old rows, for example. Files come one after the
  // other. `base` is the place (SourceReader::kPlaces) of its first byte, so every rowid of
  // RowidFrom::place from there on belongs to it.
  [[nodiscard]] virtual Result<void> begin_file(const SourceFile& file, std::uint64_t base) = 0;
  // After the last batch of a file. Its record is stored in the same transaction as its rows.
  [[nodiscard]] virtual Result<void> end_file(const SourceFile& file,
                                              const SourceRecord& record) = 0;
  // The file could not be read to its end: removes all of its rows and rejects.
  [[nodiscard]] virtual Result<void> drop_file(const SourceFile& file) = 0;
  // The key of the file does not ascend, so it will be read again later, with other rowids: removes
  // everything of it but the columns of its tables.
  [[nodiscard]] virtual Result<void> restart_file(const SourceFile& file) = 0;

  // After the last file. Completes the database, except for keys and checks (target/finisher.h).
  [[nodiscard]] virtual Result<void> finish() = 0;
};

}  // namespace tidemill::import
