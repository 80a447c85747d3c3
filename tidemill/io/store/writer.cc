#include "tidemill/io/store/writer.h"

#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::store {

DbWriter::DbWriter(Db db, DbWriterOptions options) : db_(std::move(db)), options_(options) {
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

DbWriter::~DbWriter() {
  inbox_.update([](Inbox& inbox) { inbox.is_closed = true; });
}

Result<void> DbWriter::write(Job job) {
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

void DbWriter::serve() {
  for (;;) {
    std::vector<Request*> requests;
    {
      auto inbox = inbox_.lock();
      inbox.wait([](const Inbox& i) { return i.is_closed || !i.requests.empty(); });
      if (inbox->requests.empty()) return;
      requests.swap(inbox->requests);
    }
    auto committed = contained([&] { return commit_all(requests); });
    // Nothing was applied. Unlike a full disk, waiting does not help.
    if (!committed && committed.error() == out_of_memory()) committed.error().cure = Cure::give_up;
    for (Request* request : requests) {
      if (!committed && !request->failure) request->failure = committed.error();
      if (poison_) request->failure = poison_;
      request->done.update([](bool& done) { done = true; });  // may be destroyed from here on
    }
    if (poison_ || db_.log_pages() < options_.checkpoint_pages) continue;
    // The commits are durable in the log: a failure concerns only later ones.
    (void)db_.checkpoint();
    poison_if_damaged();
  }
}

// Without a thread that serves: it could not be started, or it ran out of memory.
void DbWriter::leave(const Failure& cause) {
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

// A job that fails alone has its own failure afterwards; the returned failure is for all others.
Result<void> DbWriter::commit_all(const std::vector<Request*>& requests) {
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
    // SQLite has rolled everything back. The other jobs get the failure of this one if it is
    // transient, otherwise that of the commit.
    return !done && done.error().cure == Cure::retry ? done : transaction->commit();
  }
  auto committed = transaction->commit();
  if (committed) return {};
  if (committed.error().cure != Cure::retry || db_.damage()) {
    poison(db_.damage().value_or(committed.error()));
  }
  return committed;
}

Result<void> DbWriter::run(Request& request) {
  LET(auto savepoint, Savepoint::begin(db_));
  TRY(request.job(db_));
  return savepoint.commit();
}

void DbWriter::poison_if_damaged() {
  if (const auto& damage = db_.damage()) poison(*damage);
}

void DbWriter::poison(const Failure& cause) {
  if (poison_) return;
  poison_ = cause;
  poison_->cure = Cure::give_up;
  poison_->hint = "resume the run";
}

}  // namespace tidemill::store
