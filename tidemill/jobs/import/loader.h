// Loader: where batches go. Two kinds: pages (page_loader.h) for a new database, SQL (sql/loader.h)
// for any.
//
//   worker    make rows ── prepare(batch) ──┐   any order, any thread
//   writer                                  └── store(batch)   in order, always the same thread
//
// A failure of prepare, store, end_file or finish ends the import; nothing of what is unfinished is
// kept. A row that the database refuses (a key that is there already) is no failure: it goes to the
// rejects, is counted in TableRows::refused, and the import goes on. The rows of its lists go with
// it.
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

  // Once a worker at most at a time for each `worker`, which is below the number of workers.
  [[nodiscard]] virtual Result<void> prepare(Batch& batch, std::size_t worker) = 0;
  [[nodiscard]] virtual Result<void> store(Batch& batch) = 0;

  // A batch that was prepared and will not be stored.
  virtual void discard(Batch& batch) { (void)batch; }

  // Before the first batch of a file: what must go first (its old rows, say). Files come one behind
  // the other; `base` is the place of its first byte in all that was read, so every rowid of
  // RowidFrom::place from there on belongs to it.
  [[nodiscard]] virtual Result<void> begin_file(const SourceFile& file, std::uint64_t base) = 0;
  // Its last batch was stored: what is known of it belongs to the same transaction as its rows.
  [[nodiscard]] virtual Result<void> end_file(const SourceFile& file, const FileRecord& record) = 0;
  // It could not be read to its end: nothing of it stays, in the rejects neither.
  [[nodiscard]] virtual Result<void> drop_file(const SourceFile& file) = 0;
  // Its key does not ascend, so it is read again from its beginning later, with other rowids:
  // nothing of it stays but the columns of its tables.
  [[nodiscard]] virtual Result<void> restart_file(const SourceFile& file) = 0;

  // All files are stored. Afterwards the database is whole, but for keys and checks (finisher.h).
  [[nodiscard]] virtual Result<void> finish() = 0;
};

}  // namespace tidemill::import
