// Target: the database that is filled, from the moment it is taken until it is in its place.
//
// Fresh: everything happens in DB.tidemill.part, which is locked (a second import of the same name
// is told so), emptied if an earlier import left it, synced at the end and renamed to DB; the
// folder is synced too. Until the rename the old database, if there is one, is untouched; a
// write-ahead log or journal of the old one is folded into it first, for beside the new file it
// would be poison. Dropped without place(): DB.tidemill.part is removed.
//
// Otherwise: DB itself is opened and BEGIN IMMEDIATE is tried once, so that a database in use is
// told at once. The journal mode stays what the owner chose. DB.tidemill.part is the lock here too;
// a note that a killed import left in it (ending.h) is settled first, whatever the mode.
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
class Target {
 public:
  // Fails with step "--into": DB is there and may not be replaced, is no database, is a folder;
  // with cure retry and kind held when somebody else has it.
  [[nodiscard]] static Result<std::unique_ptr<Target>> take(const Options& options);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] bool is_fresh() const;
  [[nodiscard]] bool replaces_old() const;  // fresh, and there is a DB until place()
  // The file to fill: DB.tidemill.part or DB.
  [[nodiscard]] const std::string& path() const;
  // In which it is. Whatever is put in the place of a folder on the way to it meanwhile, the files
  // are made, opened and renamed in this one.
  [[nodiscard]] const files::HeldFolder& folder() const;
  // A connection to path(), tuned: a fresh file has no journal, no sync, an exclusive lock, the
  // page size of the options and 2 MiB of cache; another has its own journal, synchronous=EXTRA
  // and the functions below. Only one at a time.
  [[nodiscard]] Result<store::Db> open();

  // Fresh: sync, rename, sync the folder. Otherwise nothing: commits did it.
  [[nodiscard]] Result<void> place();

  // Not fresh: DB.tidemill.part says from now on that this import is complete, also after a power
  // cut, and stays when the target is dropped; until it is known that DB says so too.
  [[nodiscard]] Result<void> note_end(const EndNote& note);
  void forget_end();

 private:
  struct State;
  explicit Target(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// In SQL: tidemill_text(x) is x if it is no number, else the one text of formats/jsonl/number.h.
[[nodiscard]] Result<void> add_text_function(store::Db& db);

}  // namespace tidemill::import
