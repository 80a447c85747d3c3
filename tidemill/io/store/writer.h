// Writer: the one thread that writes into a database, for callers on many threads.
//
//   callers    a ──┐            b, c ──┐                d ──┐
//   writer         └─ begin a commit   └─ begin b c commit  └─ …
//
// write() comes back when the transaction with its job is durable. Jobs that arrive during a commit
// share the next one, so the cost of an fsync is divided by the number of callers that wait.
//
// A job that fails is undone alone; its neighbours are kept. When the transaction itself is lost (a
// full disk, a busy database) every job in it fails with Cure::retry and none was applied. When the
// disk fails so that nobody knows what was kept, the writer is poisoned: it refuses everything from
// then on with the same cause. It never tries a failed fsync again. A machine without a thread or
// memory for it makes every write fail, with Cure::give_up.
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

struct WriterOptions {
  std::int64_t checkpoint_pages = 4'000;  // of the log, before it is copied into the database
};

// Thread-safe. The destructor finishes the jobs that were handed in, then closes the connection.
class Writer {
 public:
  // Called once, on the writer's thread, inside a transaction that it must neither end nor nest.
  using Job = std::move_only_function<Result<void>(Db&)>;

  explicit Writer(Db db, WriterOptions options = {});
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  [[nodiscard]] Result<void> write(Job job);

  [[nodiscard]] std::size_t waiting() const { return inbox_.lock()->requests.size(); }

 private:
  struct Request {
    Job job;
    std::optional<Failure> failure{};  // the writer's alone until `done`
    Guarded<bool> done{false};
  };
  struct Inbox {
    std::vector<Request*> requests{};
    bool is_closed = false;
    std::optional<Failure> gone{};  // why there is no thread
  };

  void serve();
  void leave(const Failure& cause);
  [[nodiscard]] Result<void> commit_all(const std::vector<Request*>& requests);
  [[nodiscard]] Result<void> run(Request& request);
  void poison(const Failure& cause);
  void poison_if_damaged();

  Db db_;                          // the thread's alone
  std::optional<Failure> poison_;  // the thread's alone
  WriterOptions options_;
  mutable Guarded<Inbox> inbox_;
  std::jthread thread_;
};

}  // namespace tidemill::store
