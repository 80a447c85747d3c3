// DbWriter: the one thread that writes to a database, for callers on many threads.
//
//   callers    a ──┐            b, c ──┐                d ──┐
//   writer         └─ begin a commit   └─ begin b c commit  └─ …
//
// write() returns when the transaction with its job is durable. Jobs that arrive during a commit
// share the next one, so the cost of an fsync is divided by the number of waiting callers.
//
// A job that fails is rolled back alone; the others of the transaction are kept. When the
// transaction itself fails (a full disk, a busy database), every job in it fails with Cure::retry
// and none was applied. When the disk fails so that it is unknown what was kept, the writer is
// poisoned: it refuses every later job with the same cause. It never retries a failed fsync. If the
// thread cannot be started or runs out of memory, every later write fails with Cure::give_up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::store {

struct DbWriterOptions {
  std::int64_t checkpoint_pages = 4'000;  // of the log, before a checkpoint
};

// Thread-safe. The destructor finishes the pending jobs, then closes the connection.
class DbWriter {
 public:
  // Called once, on the writer's thread, inside a transaction that it must neither end nor nest.
  using Job = std::move_only_function<Result<void>(Db&)>;

  explicit DbWriter(Db db, DbWriterOptions options = {});
  ~DbWriter();
  DbWriter(const DbWriter&) = delete;
  DbWriter& operator=(const DbWriter&) = delete;

  [[nodiscard]] Result<void> write(Job job);

  [[nodiscard]] std::size_t waiting() const { return inbox_.lock()->requests.size(); }

 private:
  struct Request {
    Job job;
    std::optional<Failure> failure{};  // only the writer uses it until `done`
    Guarded<bool> done{false};
  };
  struct Inbox {
    std::vector<Request*> requests{};
    bool is_closed = false;
    std::optional<Failure> gone{};  // why the thread has ended or did not start
  };

  void serve();
  void leave(const Failure& cause);
  [[nodiscard]] Result<void> commit_all(const std::vector<Request*>& requests);
  [[nodiscard]] Result<void> run(Request& request);
  void poison(const Failure& cause);
  void poison_if_damaged();

  Db db_;                          // only the thread uses it
  std::optional<Failure> poison_;  // only the thread uses it
  DbWriterOptions options_;
  mutable Guarded<Inbox> inbox_;
  std::jthread thread_;
};

}  // namespace tidemill::store
