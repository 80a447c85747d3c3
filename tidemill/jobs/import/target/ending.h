// ImportEnding: marks an import into an existing database as complete, as its last action. After a
// kill, the same command must continue that import; after a complete import, it is a new one, and
// --append adds the rows again. So an import is complete once its outcome was reported to the user.
// PART is DB.tidemill.part:
//
//   rows, keys, check ─► report ─► note in PART ─► `ended` in the database ─► remove PART ─► exit
//                                  │                                         │
//   killed before here:            │                killed before here:      │
//   `ended` is NULL                                 the next import that locks PART finds the
//                                                   note and sets `ended` to NULL again
//
// The note is on the disk before `ended` is, so a power cut also leads to one of these two cases.
// The database alone cannot do this: a commit takes several syncs before it returns. There remains
// the time between the removal of PART and the exit, in which the program writes nothing and waits
// for nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/target/target.h"

namespace tidemill::import {

// For an import that has run and is not marked yet. Destroyed without mark(), the import counts as
// interrupted, and the same command continues it. One thread.
class ImportEnding {
 public:
  ImportEnding() = default;  // of a fresh database, which is in place: nothing to mark
  ImportEnding(std::unique_ptr<ImportTarget> target, std::int64_t import)
      : target_(std::move(target)), import_(import) {}

  [[nodiscard]] bool is_marked() const { return !target_; }
  // Removes DB.tidemill.part last. Exit immediately afterwards.
  [[nodiscard]] Result<void> mark();

 private:
  std::unique_ptr<ImportTarget> target_{};
  std::int64_t import_ = 0;
};

}  // namespace tidemill::import
