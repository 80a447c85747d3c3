// Executor: the implementation of Pool: worker threads, the outcome of each task, and the watch.
//
//   work():  next task ─► perform(): run it ─► settle(): done, failed, retried or deferred
//   watch(): deadlines and stalls, on its own thread, from snapshots of the worker states
//
// pool.h has the contract. dispatch.h decides which task is next, and when threads sleep and wake.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/dice.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/pool.h"
#include "tidemill/engine/pool/dispatch.h"
#include "tidemill/engine/pool/slow_list.h"
#include "tidemill/engine/pool/watchdog.h"
#include "tidemill/engine/pool/worker_state.h"

namespace tidemill::engine {

// Thread-safe. Neither copied nor moved: its threads refer to it.
class Executor {
 public:
  Executor(PoolOptions options, std::size_t capacity);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();  // stops and joins
  [[nodiscard]] Result<void> start_threads();

  Admission submit(Task& task, std::optional<Instant> deadline, const std::stop_token& stop);
  Admission try_submit(Task& task);
  void close();
  void stop();
  void stop_because(Failure cause);
  [[nodiscard]] PoolReport wait();
  [[nodiscard]] Result<PoolReport> wait(Instant deadline);
  [[nodiscard]] Result<void> wait_idle(const std::stop_token& stop);
  [[nodiscard]] PoolStats stats() const;
  [[nodiscard]] std::vector<SlowAttempt> slowest() const { return slowest_.all(); }

  struct Worker;  // state of a worker that only its own thread uses

 private:
  struct Failed {
    std::vector<TaskError> errors;
    std::optional<Failure> fatal;
  };

  void work(std::size_t index);
  void lose_worker(std::size_t index, Failure cause);
  [[nodiscard]] Instant perform(Worker& worker, Task& task, Instant started);
  void settle(Worker& worker, Task& task, Result<void> outcome, const TaskContext& context,
              Instant now);
  void try_again(Worker& worker, Task& task, const Failure& failure,
                 std::chrono::milliseconds delay, Instant now);
  void settle_for_good(Worker& worker, Task& task, const Result<void>& outcome);
  Admission submit_from_worker(Worker& worker, Task& task);
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay(const Failure& failure,
                                                                     int attempt);
  void watch(const std::stop_token& stop, Instant::duration interval);
  void look_at(std::size_t worker, Watchdog& watchdog, Instant now);
  [[nodiscard]] PoolReport report();
  [[nodiscard]] Worker* worker_here() const;
  [[nodiscard]] bool has_callbacks(const Task& task) const;

  const PoolOptions options_;
  const SystemClock system_clock_;
  const Clock& clock_;
  SilentLog silent_log_;
  Log& log_;
  SeededDice own_dice_;
  Guarded<Dice*> dice_;

  Dispatch dispatch_;
  SlowList slowest_;
  std::vector<std::unique_ptr<WorkerState>> worker_states_;
  std::atomic<bool> stops_ = false;
  Guarded<Failed> failed_;
  Guarded<std::size_t> workers_left_{0};
  std::vector<std::jthread> workers_;
  Guarded<bool> watch_ends_{false};
  std::jthread watcher_;  // last: it uses everything above
};

}  // namespace tidemill::engine
