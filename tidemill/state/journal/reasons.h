// JournalReasons: counts the dead tasks of a journal by the reason of their failure, so that a page
// about ten thousand failures reads as many rows as there are reasons.
//
// At most kMostReasons different reasons have a row of their own, in the order in which they
// occur; tasks that fail for any other share row 0. A row that counts nothing any more is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/db.h"

namespace tidemill::journal {

inline constexpr std::int64_t kMostReasons = 1'000;
inline constexpr std::int64_t kOtherReasons = 0;  // the row of all others

// One thread, that of its Db.
class JournalReasons {
 public:
  [[nodiscard]] static Result<JournalReasons> open(store::Db& db);

  // The task, which has a row in `trouble`, is dead.
  [[nodiscard]] Result<void> count(store::Db& db, engine::TaskId task, const Failure& failure,
                                   WallTime at);
  // It is dead no longer. Call this before its row in `trouble` is removed.
  [[nodiscard]] Result<void> uncount(store::Db& db, engine::TaskId task);

  // Clears the cache: after a rollback its numbers may no longer be in the table.
  void forget();

 private:
  struct Statements {
    store::Statement size;
    store::Statement find;
    store::Statement add;
    store::Statement add_other;
    store::Statement grow;
    store::Statement shrink;
    store::Statement drop_empty;
    store::Statement add_task;
    store::Statement drop_task;
    store::Statement counted;
    store::Statement set_counted;
  };

  explicit JournalReasons(Statements statements) : statements_(std::move(statements)) {}

  [[nodiscard]] Result<std::int64_t> id_of(store::Db& db, const Failure& failure, std::int64_t at);

  Statements statements_;
  std::unordered_map<std::string, std::int64_t> known_;  // by step, NUL, reason
  std::int64_t rows_ = -1;                               // without row 0; negative: unknown
};

}  // namespace tidemill::journal
