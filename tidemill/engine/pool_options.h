// PoolOptions: all options of a pool, each with a default.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/dice.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/limiter.h"
#include "tidemill/engine/retry_policy.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

struct TaskTypeOptions {
  std::string name = "task";
  std::chrono::milliseconds timeout{0};  // for each attempt; 0: none
};

// When a task counts as stalled. A stall is only reported.
struct WatchdogOptions {
  Instant::duration stall_after = std::chrono::seconds(60);   // zero: silence is ignored
  Instant::duration overdue_grace = std::chrono::seconds(1);  // zero: deadlines are ignored

  [[nodiscard]] Result<void> check() const;
  bool operator==(const WatchdogOptions&) const = default;
};

// Sent once when a stall begins and once when it is over.
struct StallEvent {
  enum class Kind : std::uint8_t { stalled, recovered };
  enum class Why : std::uint8_t { silent, overdue };

  Kind kind = Kind::stalled;
  Why why = Why::silent;
  std::size_t worker = 0;
  std::uint64_t task = 0;
  std::uint16_t type = 0;
  Instant::duration age{};  // since the last beat (silent) or the deadline (overdue)

  bool operator==(const StallEvent&) const = default;
};

struct PoolOptions {
  std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
  std::optional<std::size_t> capacity = std::nullopt;       // of the queue; default: 10 × workers
  std::optional<std::size_t> reserve = std::nullopt;        // for workers' own tasks; 64 × workers
  std::optional<std::size_t> waiting_limit = std::nullopt;  // 10 × capacity, at least 1,000
  TaskOrder order = TaskOrder::first_come;
  unsigned ageing = 16;  // starts of more urgent or lighter tasks before a waiting one is next

  std::vector<TaskTypeOptions> types = {TaskTypeOptions{}};
  RetryPolicy retry = RetryPolicy::never();
  LimiterOptions rate = LimiterOptions::unlimited();  // of starts, over all workers
  WatchdogOptions watchdog = {};

  // Called on a worker's thread: on_settled once for each task that completed or failed for good,
  // on_retry once for each failed attempt that will be retried. They may block, and then the
  // worker waits. A failure (the journal is lost) stops the pool with that cause.
  std::function<Result<void>(const Settlement&)> on_settled = {};
  std::function<Result<void>(const Retrial&)> on_retry = {};
  // Called on the pool's watching thread when a worker stalls or recovers.
  std::function<void(const StallEvent&)> on_stall = {};

  // null: the system's clock, dice seeded from it, no log. An object passed here must outlive the
  // pool.
  const Clock* clock = nullptr;
  Dice* dice = nullptr;
  Log* log = nullptr;

  [[nodiscard]] Result<void> check() const;  // names the invalid field

  // How often deadlines and stalls are checked; nullopt if there is no limit to check.
  [[nodiscard]] std::optional<Instant::duration> interval_between_looks() const;
};

}  // namespace tidemill::engine
