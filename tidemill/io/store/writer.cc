#include "tidemill/io/store/writer.h"

#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::store {

Writer::Writer(Db db, WriterOptions options) : db_(std::move(db)), options_(options) {
  db_.take_over_checkpoints();
  auto started = start_thread(
      "the writer of " + db_.path(), [this] { serve(); },
      [this](const Failure& cause) { leave(cause); });
  if (started) {
    thread_ = *std::move(started);
  } else {
    leave(started.error());
  }
}

Writer::~Writer() {
  inbox_.update([](Inbox& inbox) { inbox.is_closed = true; });
}

Result<void> Writer::write(Job job) {
  Request request{.job = std::move(job)};
  const auto gone = inbox_.update([&](Inbox& inbox) {
    if (!inbox.gone) inbox.requests.push_back(&request);
    return inbox.gone;
  });
  if (gone) return std::unexpected(*gone);
  request.done.lock().wait([](bool done) { return done; });
  if (request.failure) return std::unexpected(*std::move(request.failure));
  return {};
}

void Writer::serve() {
  for (;;) {
    std::vector<Request*> requests;
    {
      auto inbox = inbox_.lock();
      inbox.wait([](const Inbox& i) { return i.is_closed || !i.requests.empty(); });
      if (inbox->requests.empty()) return;
      requests.swap(inbox->requests);
    }
    auto committed = contained([&] { return commit_all(requests); });
    // Nothing was applied, and waiting for a while would not help as it does with a full disk.
    if (!committed && committed.error() == out_of_memory()) committed.error().cure = Cure::give_up;
    for (Request* request : requests) {
      if (!committed && !request->failure) request->failure = committed.error();
      if (poison_) request->failure = poison_;
      request->done.update([](bool& done) { done = true; });  // from here on it may be gone
    }
    if (poison_ || db_.log_pages() < options_.checkpoint_pages) continue;
    // The commits are safe in the log: only those that follow must hear of a failure.
    (void)db_.checkpoint();
    poison_if_damaged();
  }
}

// Nobody serves any more: the machine had no thread, or no memory for the thread's own part.
void Writer::leave(const Failure& cause) {
  std::vector<Request*> requests;
  inbox_.update([&](Inbox& inbox) {
    inbox.gone = cause;
    inbox.gone->cure = Cure::give_up;
    requests.swap(inbox.requests);
  });
  for (Request* request : requests) {
    request->failure = cause;
    request->done.update([](bool& done) { done = true; });
  }
}

// The jobs that failed alone know it afterwards; a failure concerns all others.
Result<void> Writer::commit_all(const std::vector<Request*>& requests) {
  if (poison_) return std::unexpected(*poison_);
  auto transaction = Transaction::begin(db_);
  if (!transaction) {
    poison_if_damaged();
    return std::unexpected(std::move(transaction).error());
  }
  for (Request* request : requests) {
    auto done = run(*request);
    if (!done) request->failure = done.error();
    poison_if_damaged();
    if (poison_) return std::unexpected(*poison_);
    if (db_.in_transaction()) continue;
    // SQLite has rolled everything back. What this job may do about it, its neighbours may too,
    // unless it was refused for a fault of its own.
    return !done && done.error().cure == Cure::retry ? done : transaction->commit();
  }
  auto committed = transaction->commit();
  if (committed) return {};
  if (committed.error().cure != Cure::retry || db_.damage()) {
    poison(db_.damage().value_or(committed.error()));
  }
  return committed;
}

Result<void> Writer::run(Request& request) {
  LET(auto savepoint, Savepoint::begin(db_));
  TRY(request.job(db_));
  return savepoint.commit();
}

void Writer::poison_if_damaged() {
  if (const auto& damage = db_.damage()) poison(*damage);
}

void Writer::poison(const Failure& cause) {
  if (poison_) return;
  poison_ = cause;
  poison_->cure = Cure::give_up;
  poison_->hint = "resume the run";
}

}  // namespace tidemill::store
