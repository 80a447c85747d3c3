// TaskContext: what a running task may know and say.
//
// A task that can take long looks at should_stop() at least once for every 64 KiB or batch of rows,
// and returns context.stopped() when it says so. Whoever works long without asking calls
// heartbeat(), or is reported as stalled.
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

class Seat;

// One thread: the worker's, while the task runs. stop() may be handed to other threads.
class TaskContext {
 public:
  // What the pool knows of it. Kept by the pool for as long as the task runs: a copy of it costs a
  // tenth of an empty task.
  struct Surroundings {
    std::size_t worker;
    Seat& seat;
    const Clock& clock;
    Log& log;
    const std::atomic<bool>& pool_stops;
    std::string_view type_name;
    TaskId id;
    std::optional<Instant> deadline;
    int attempt;
  };

  explicit TaskContext(const Surroundings& around) : around_(around) {}
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  [[nodiscard]] TaskId id() const { return around_.id; }
  [[nodiscard]] std::string_view type() const { return around_.type_name; }
  [[nodiscard]] std::size_t worker() const { return around_.worker; }  // for a buffer of its own
  [[nodiscard]] int attempt() const { return around_.attempt; }        // 1 for the first try
  [[nodiscard]] std::optional<Instant> deadline() const { return around_.deadline; }
  [[nodiscard]] Log& log() const { return around_.log; }
  [[nodiscard]] const Clock& clock() const { return around_.clock; }

  // The pool stops, or the task's deadline has come.
  [[nodiscard]] bool should_stop() const;

  // The same as a token, for whatever waits on one. (For a task that runs inside another one, see
  // Pool::submit, the deadline shows in should_stop() alone.)
  [[nodiscard]] std::stop_token stop() const;

  // What to return when should_stop() says so: the pool's stop, or "timed out".
  [[nodiscard]] std::unexpected<Failure> stopped() const;

  void heartbeat();
  void note(std::string_view what);  // for a progress display

  // "Not now": the task comes back after `wait` and this attempt does not count. For an open
  // breaker or a spent rate, where nothing was tried.
  [[nodiscard]] std::unexpected<Failure> defer(std::chrono::milliseconds wait, std::string why) {
    deferral_ = wait;
    return fail(Cure::retry, "deferred", std::move(why));
  }

  // "Nothing will work any more": the task fails and the whole pool stops with this cause. For a
  // lost store or a full disk.
  [[nodiscard]] std::unexpected<Failure> fatal(Failure failure) {
    is_fatal_ = true;
    return std::unexpected(std::move(failure));
  }

  // For the worker, after the task has returned.
  [[nodiscard]] std::optional<std::chrono::milliseconds> deferral() const { return deferral_; }
  [[nodiscard]] bool is_fatal() const { return is_fatal_; }

 private:
  const Surroundings& around_;
  std::optional<std::chrono::milliseconds> deferral_;
  bool is_fatal_ = false;
};

}  // namespace tidemill::engine
