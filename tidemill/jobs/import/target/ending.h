// Ending: how an import that adds to a database says that it is complete, as the last thing that it
// does. The same command after a kill must go on with that import; after an import that ended it is
// another one, and --append adds its rows again. So an import has ended when its user was told:
//
//   rows, keys, check ─► report ─► note in DB.tidemill.part ─► `ended` in the database ─► no
//   DB.tidemill.part ─► exit
//                                  │                                             │
//   killed before here: `ended` is NULL                killed before here: whoever takes
//   DB.tidemill.part
//                                                      finds the note, and makes `ended` NULL again
//
// The note is on the disk before `ended` is, so a power cut leaves one of these as well. It closes
// what the database alone cannot: a commit takes several syncs to return. What is left is the time
// between the removal of DB.tidemill.part and the exit, in which nothing is written and nobody is
// waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/target/target.h"

namespace tidemill::import {

// Of an import that was run and not yet marked. Dropped without mark(), the import counts as cut
// short, and the same command goes on with it. One thread.
class Ending {
 public:
  Ending() = default;  // of a new database: it has its name, and there is nothing to mark
  Ending(std::unique_ptr<Target> target, std::int64_t import)
      : target_(std::move(target)), import_(import) {}

  [[nodiscard]] bool is_marked() const { return !target_; }
  // The last thing that it does is to remove DB.tidemill.part. Leave at once.
  [[nodiscard]] Result<void> mark();

 private:
  std::unique_ptr<Target> target_{};
  std::int64_t import_ = 0;
};

}  // namespace tidemill::import
