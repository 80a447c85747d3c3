#include "tidemill/jobs/import/target/ending.h"

#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

Result<void> mark_in(ImportTarget& target, std::int64_t import) {
  LET(auto db, target.open());
  ImportLog import_log(db);
  LET(const EndNote note, import_log.note_of(import));
  TRY(target.note_end(note));
  auto ended = [&]() -> Result<void> {
    LET(auto transaction, store::Transaction::begin(db));
    TRY(import_log.end_import(import));
    return transaction.commit();
  }();
  // After a disk error it is not known whether `ended` was stored: then the note stays.
  if (ended || !db.damage()) target.forget_end();
  return ended;
}

}  // namespace

Result<void> ImportEnding::mark() {
  if (!target_) return {};
  auto marked = mark_in(*target_, import_);
  if (!marked) {
    Failure& failure = marked.error();
    if (store::is_busy(failure)) {
      failure.kind = FailureKind::held;
      failure.step = "lock";
    }
    failure.hint =
        "run the same command again: all rows are imported, but the import is not marked as done";
  }
  target_.reset();
  return marked;
}

}  // namespace tidemill::import
