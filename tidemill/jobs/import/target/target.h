// ImportTarget: the database that is filled, from take() until it is in place.
//
// Fresh: the database is built in DB.tidemill.part. That file is locked (a second import into the
// same DB fails at once), emptied if an earlier import left it, synced at the end and renamed to
// DB; the folder is synced too. Until the rename the contents of an old database do not change; its
// write-ahead log or journal is merged into it first, because next to the new file it would corrupt
// that. Destroyed without place(): DB.tidemill.part is removed.
//
// Otherwise: DB itself is opened and BEGIN IMMEDIATE is tried once, so that a database in use is
// reported at once. The journal mode stays unchanged. DB.tidemill.part is the lock here too; a note
// that a killed import left in it (ending.h) is resolved first, whatever the mode.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/pages/part_file.h"

namespace tidemill::import {

// One thread.
class ImportTarget {
 public:
  // Fails with step "--into" if DB exists and may not be replaced, is not a database, or is a
  // folder; with cure retry and kind held if it is in use.
  [[nodiscard]] static Result<std::unique_ptr<ImportTarget>> take(const ImportOptions& options);
  ~ImportTarget();
  ImportTarget(const ImportTarget&) = delete;
  ImportTarget& operator=(const ImportTarget&) = delete;

  [[nodiscard]] bool is_fresh() const;
  [[nodiscard]] bool replaces_old() const;  // fresh, and DB existed at take()
  // The file to fill: DB.tidemill.part or DB.
  [[nodiscard]] const std::string& path() const;
  // The folder of DB. Files are created, opened and renamed in this open folder, even if a folder
  // on the path is replaced meanwhile.
  [[nodiscard]] const files::HeldFolder& folder() const;
  // A connection to path() with the function below; only one at a time. A fresh file has no
  // journal, no sync, an exclusive lock, the page size of the options and 2 MiB of cache; any other
  // keeps its journal mode and has synchronous=EXTRA.
  [[nodiscard]] Result<store::Db> open();

  // Fresh: sync, rename, sync the folder. Otherwise it does nothing: the rows are committed.
  [[nodiscard]] Result<void> place();

  // Not fresh: writes the note to DB.tidemill.part and syncs it. Until forget_end(), the file stays
  // when the target is destroyed. Call forget_end() when it is known whether `ended` is in DB.
  [[nodiscard]] Result<void> note_end(const EndNote& note);
  void forget_end();

 private:
  struct State;
  explicit ImportTarget(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Adds the SQL function tidemill_text(x): x if it is not a number, otherwise its text as of
// formats/jsonl/number.h.
[[nodiscard]] Result<void> add_text_function(store::Db& db);

}  // namespace tidemill::import
