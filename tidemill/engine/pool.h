// Pool: a fixed number of workers that take tasks from one bounded queue.
//
//   submit ─► [ queue: 4 priorities ] ─► worker ─► settled: completed or failed
//                ▲                         │
//                └──── waitlist ◄──────────┘ to be retried: waits without occupying a worker
//
// A task that fails or throws does not affect other tasks. Every accepted task ends in exactly one
// of three counts: accepted = completed + failed + dropped, once wait() has returned.
//
// Ending. close(): no more tasks from outside; accepted tasks still run, and so do the tasks that
// they submit. stop(): tasks that are queued or wait for a retry are dropped and counted, running
// tasks are requested to stop; one that then fails with a retryable failure counts as dropped.
// wait() returns when the workers have ended; call close() or stop() first, or on another thread.
// The destructor stops and joins: it waits for running tasks, however long they take. A program
// with a time limit calls wait(deadline), saves what it must, and exits with std::_Exit.
//
// Tasks that submit to their own pool. A worker that waited for room would wait for itself, so it
// never waits: while the queue is full, it may use a reserve beyond the capacity; if that is full
// too, the new task runs at once, nested in the task that submits it, before submit() returns. So
// there is no deadlock and no loss, and at most capacity + reserve + waiting tasks are in memory.
// Tasks may be nested 64 deep; beyond that submit() returns queue_full and the caller keeps the
// task. (Two pools whose workers submit to each other and wait for room can still deadlock: let one
// of them keep its new tasks in its own list.)
//
// Failing. The retry policy decides by Failure::cure; see retry_policy.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/future.h"
#include "tidemill/engine/pool_options.h"
#include "tidemill/engine/pool_stats.h"
#include "tidemill/engine/task.h"
#include "tidemill/engine/task_context.h"

namespace tidemill::engine {

// One task that failed permanently.
struct TaskError {
  TaskId id = 0;
  TaskType type = 0;
  int attempts = 0;
  Failure failure{};
};

struct PoolReport {
  std::uint64_t accepted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t dropped = 0;
  std::vector<TaskError> errors{};              // the first 1,000; `failed` counts all of them
  std::optional<Failure> fatal = std::nullopt;  // why the pool stopped itself, if it did
};

// A movable handle that owns the pool. A move does not affect threads and queued tasks; but a
// `Pool&` in a task refers to the handle, so move a pool before tasks refer to it. A moved-from
// Pool may only be destroyed or assigned to.
//
// Thread-safe. Do not destroy or move it while another thread is in submit().
class Pool {
 public:
  static constexpr std::size_t kErrorsKept = 1'000;
  static constexpr int kDeepest = 64;

  [[nodiscard]] static Result<Pool> start(PoolOptions options);
  Pool(Pool&& other) noexcept;
  Pool& operator=(Pool&& other) noexcept;
  ~Pool();

  // Waits while the queue is full. Unless the answer is `accepted`, the caller keeps the task.
  Admission submit(Task&& task, const std::stop_token& stop = {});
  Admission submit(Task&& task, Instant deadline, const std::stop_token& stop = {});
  Admission try_submit(Task&& task);  // never waits

  // Submits a call and returns the Future of its value; waits while the queue is full. The call
  // takes a TaskContext& or nothing, and returns a Result<T>, a T or nothing. The pool handles it
  // like any other task: it is retried, counted, and listed in the report's errors if it fails. If
  // the call is not accepted, the Future already has the failure.
  template <class Call>
  [[nodiscard]] Future<ValueOf<Call>> async(Call call, TaskTraits traits = {},
                                            const std::stop_token& stop = {}) {
    using Value = ValueOf<Call>;
    auto state = std::make_shared<FutureState<Value>>(executor_.get());
    Task task(FutureTask<Value, Call>(std::move(call), state), traits);
    const Admission answer = submit(std::move(task), stop);
    if (answer != Admission::accepted) state->answer(not_accepted(answer));
    return Future<Value>(std::move(state));
  }

  void close();
  void stop();
  // Stops with a cause: the run cannot continue (a lost store, a full disk). Keeps the first cause.
  void stop_because(Failure cause);

  [[nodiscard]] PoolReport wait();
  [[nodiscard]] Result<PoolReport> wait(Instant deadline);  // cure retry: timed out

  // Waits until every submitted task is settled, including those that wait for a retry or were
  // deferred; the pool stays open. Threads that keep submitting may keep it from becoming idle.
  // Returns Cure::retry if `stop` came first or the pool was stopped (tasks may have been dropped),
  // the cause if the stop had one, and Cure::give_up in a task of this pool, which would wait for
  // itself.
  [[nodiscard]] Result<void> wait_idle(const std::stop_token& stop = {});

  [[nodiscard]] PoolStats stats() const;  // never waits for a worker
  // The slowest attempts since the start, at most 100, slowest first.
  [[nodiscard]] std::vector<SlowAttempt> slowest() const;

 private:
  explicit Pool(std::unique_ptr<Executor> executor);

  std::unique_ptr<Executor> executor_;
};

}  // namespace tidemill::engine
