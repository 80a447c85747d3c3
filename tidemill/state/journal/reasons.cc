#include "tidemill/state/journal/reasons.h"

#include <optional>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"

namespace tidemill::journal {
namespace {

using store::Blob;

std::string reason_key(const Failure& failure) {
  std::string key = failure.step;
  key += '\0';
  return key += failure.reason;
}

}  // namespace

Result<JournalReasons> JournalReasons::open(store::Db& db) {
  LET(auto size, db.prepare("select count(*) from reason where id <> 0"));
  LET(auto find, db.prepare("select id from reason where step = ? and reason = ? and id <> 0"));
  LET(auto add, db.prepare("insert into reason(step, reason, n, first_us, last_us)"
                           " values (?1, ?2, 0, ?3, ?3)"));
  LET(auto add_other, db.prepare("insert or ignore into reason(id, step, reason, n, first_us,"
                                 " last_us) values (0, x'', x'', 0, ?1, ?1)"));
  LET(auto grow, db.prepare("update reason set n = n + 1, first_us = min(first_us, ?2),"
                            " last_us = max(last_us, ?2) where id = ?1"));
  LET(auto shrink, db.prepare("update reason set n = n - 1 where id = ?"));
  LET(auto drop_empty, db.prepare("delete from reason where id = ? and n < 1"));
  LET(auto add_task, db.prepare("insert or ignore into failed_task(reason, task) values (?, ?)"));
  LET(auto drop_task, db.prepare("delete from failed_task where reason = ? and task = ?"));
  LET(auto counted, db.prepare("select counted from trouble where task = ?"));
  LET(auto set_counted, db.prepare("update trouble set counted = ?2 where task = ?1"));
  return JournalReasons({.size = std::move(size),
                         .find = std::move(find),
                         .add = std::move(add),
                         .add_other = std::move(add_other),
                         .grow = std::move(grow),
                         .shrink = std::move(shrink),
                         .drop_empty = std::move(drop_empty),
                         .add_task = std::move(add_task),
                         .drop_task = std::move(drop_task),
                         .counted = std::move(counted),
                         .set_counted = std::move(set_counted)});
}

void JournalReasons::forget() {
  known_.clear();
  rows_ = -1;
}

// The row of this reason: made if it is new and there is room.
Result<std::int64_t> JournalReasons::id_of(store::Db& db, const Failure& failure, std::int64_t at) {
  std::string key = reason_key(failure);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  LET(auto id, statements_.find.one<std::int64_t>(Blob{failure.step}, Blob{failure.reason}));
  if (!id) {
    if (rows_ < 0) {
      LET(const auto rows, statements_.size.one<std::int64_t>());
      rows_ = rows.value_or(0);
    }
    if (rows_ >= kMostReasons) {
      TRY(statements_.add_other.run(at));
      return kOtherReasons;
    }
    TRY(statements_.add.run(Blob{failure.step}, Blob{failure.reason}, at));
    id = db.last_id();
    ++rows_;
  }
  known_.emplace(std::move(key), *id);
  return *id;
}

Result<void> JournalReasons::count(store::Db& db, engine::TaskId task, const Failure& failure,
                                   WallTime at) {
  const auto key = static_cast<std::int64_t>(task);
  LET(const std::int64_t reason, id_of(db, failure, micros(at)));
  TRY(statements_.grow.run(reason, micros(at)));
  TRY(statements_.add_task.run(reason, key));
  return statements_.set_counted.run(key, reason);
}

Result<void> JournalReasons::uncount(store::Db& db, engine::TaskId task) {
  const auto key = static_cast<std::int64_t>(task);
  LET(const auto row, statements_.counted.one<std::optional<std::int64_t>>(key));
  if (!row || !*row) return {};
  const std::int64_t reason = **row;
  TRY(statements_.drop_task.run(reason, key));
  TRY(statements_.shrink.run(reason));
  TRY(statements_.drop_empty.run(reason));
  if (db.changes() > 0) {
    std::erase_if(known_, [&](const auto& known) { return known.second == reason; });
    if (reason != kOtherReasons && rows_ > 0) --rows_;
  }
  return statements_.set_counted.run(key, nullptr);
}

}  // namespace tidemill::journal
