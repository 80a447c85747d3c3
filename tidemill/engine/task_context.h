// TaskContext: a running task's interface to its pool.
//
// A task that can take long checks should_stop() at least once per 64 KiB or batch of rows, and
// returns context.stopped() if it is true. It also calls heartbeat(), or it is reported as stalled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

class WorkerState;

// One thread: the worker's, while the task runs. The token of stop() may be passed to other
// threads.
class TaskContext {
 public:
  // Set by the pool, which keeps it while the task runs: a copy would cost a tenth of an empty
  // task.
  struct Context {
    std::size_t worker;
    WorkerState& worker_state;
    const Clock& clock;
    Log& log;
    const std::atomic<bool>& pool_stops;
    std::string_view type_name;
    TaskId id;
    std::optional<Instant> deadline;
    int attempt;
  };

  explicit TaskContext(const Context& context) : context_(context) {}
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  [[nodiscard]] TaskId id() const { return context_.id; }
  [[nodiscard]] std::string_view type() const { return context_.type_name; }
  [[nodiscard]] std::size_t worker() const { return context_.worker; }  // for per-worker buffers
  [[nodiscard]] int attempt() const { return context_.attempt; }        // 1 for the first
  [[nodiscard]] std::optional<Instant> deadline() const { return context_.deadline; }
  [[nodiscard]] Log& log() const { return context_.log; }
  [[nodiscard]] const Clock& clock() const { return context_.clock; }

  // The pool stops, or the task's deadline has passed.
  [[nodiscard]] bool should_stop() const;

  // The same as a token, for functions that wait on one. (For a task nested in another one, see
  // pool.h, only should_stop() reports the deadline.)
  [[nodiscard]] std::stop_token stop() const;

  // What to return if should_stop() is true: the pool's stop, or "timed out".
  [[nodiscard]] std::unexpected<Failure> stopped() const;

  void heartbeat();
  void note(std::string_view what);  // for a progress display

  // Runs the task again after `wait`, without counting this attempt. For an open breaker or an
  // exhausted rate limit, where nothing was tried.
  [[nodiscard]] std::unexpected<Failure> defer(std::chrono::milliseconds wait, std::string why) {
    deferral_ = wait;
    return fail(Cure::retry, "deferred", std::move(why));
  }

  // Fails the task and stops the pool with this cause. For a lost store or a full disk.
  [[nodiscard]] std::unexpected<Failure> fatal(Failure failure) {
    is_fatal_ = true;
    return std::unexpected(std::move(failure));
  }

  // For the worker, after the task has returned.
  [[nodiscard]] std::optional<std::chrono::milliseconds> deferral() const { return deferral_; }
  [[nodiscard]] bool is_fatal() const { return is_fatal_; }

 private:
  const Context& context_;
  std::optional<std::chrono::milliseconds> deferral_;
  bool is_fatal_ = false;
};

}  // namespace tidemill::engine
