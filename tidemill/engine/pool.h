// Pool: a fixed number of workers that take tasks from one bounded queue.
//
//   submit ─► [ queue: 4 priorities ] ─► worker ─► settled: completed, failed for good
//                ▲                         │
//                └──── waitlist ◄──────────┘ failed, to be tried again: waits without a worker
//
// A task that fails or throws costs only itself. Every accepted task ends in exactly one of three
// counts: accepted = completed + failed + dropped, once wait() has returned.
//
// Ending. close(): nothing more from outside; what was accepted is still done, and so is what those
// tasks submit. stop(): what is queued or waits for a retry is dropped and counted, running tasks
// are asked to stop; one that then fails in a way that could be retried counts as dropped. wait()
// returns when the workers have left; call close() or stop() before, here or on another thread.
// The destructor stops and joins: it waits for running tasks, however long these take. A program
// that has a limit calls wait(deadline), saves what it must, and leaves with std::_Exit.
//
// Tasks that submit to their own pool. A worker that waited for room would wait for itself, so it
// never does: while the queue is full it may use a reserve beyond the capacity; when that is taken
// too, the new task runs at once, inside the one that submits it, before submit() returns. So no
// deadlock and no loss, and at most capacity + reserve + waiting tasks are in memory. Tasks inside
// tasks may be 64 deep; beyond that submit() answers queue_full and the task stays the caller's.
// (Two pools whose workers wait at each other's door can still deadlock: let one of them own the
// growth in a list of its own.)
//
// Failing. The retry policy decides on Failure::cure; see retry_policy.h.
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

// One task that failed for good.
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

// A handle: it owns the pool, and whoever holds it may move it. What it owns stays where it is, so
// threads and tasks never notice; but a `Pool&` that a task has taken is one to the handle, so move
// a pool before tasks refer to it. One that was moved from may only be destroyed or assigned to.
//
// Thread-safe. Do not destroy or move it while another thread is still inside submit().
class Pool {
 public:
  static constexpr std::size_t kErrorsKept = 1'000;
  static constexpr int kDeepest = 64;

  [[nodiscard]] static Result<Pool> start(PoolOptions options);
  Pool(Pool&& other) noexcept;
  Pool& operator=(Pool&& other) noexcept;
  ~Pool();

  // Waits while the queue is full. Unless the answer is `accepted`, the task was not taken.
  Admission submit(Task&& task, const std::stop_token& stop = {});
  Admission submit(Task&& task, Instant deadline, const std::stop_token& stop = {});
  Admission try_submit(Task&& task);  // never waits

  // Submits a call and answers with the Future of its value; waits while the queue is full. The
  // call takes a TaskContext& or nothing, and returns a Result<T>, a T or nothing. To the pool it
  // is a task like any other: retried, counted, in the report's errors if it fails. A call that was
  // not accepted is a Future that has its failure already.
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
  // Stops with a cause: the run cannot go on (a lost store, a full disk). The first cause is kept.
  void stop_because(Failure cause);

  [[nodiscard]] PoolReport wait();
  [[nodiscard]] Result<PoolReport> wait(Instant deadline);  // cure retry: timed out

  // Waits for a moment at which everything that was submitted is settled, what waits for a retry or
  // was put off included; the pool stays open. Who goes on submitting from other threads may keep
  // it from being idle. Answers Cure::retry when `stop` came first or the pool was stopped (tasks
  // may have been dropped), the cause if it had one, and Cure::give_up to a task of this pool,
  // which would wait for itself.
  [[nodiscard]] Result<void> wait_idle(const std::stop_token& stop = {});

  [[nodiscard]] PoolStats stats() const;  // never waits for a worker

 private:
  explicit Pool(std::unique_ptr<Executor> executor);

  std::unique_ptr<Executor> executor_;
};

}  // namespace tidemill::engine
