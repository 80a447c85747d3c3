// PoolStats: a picture of a pool at one moment, as values that can be kept and sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/engine/pool/histogram.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

struct TypeStats {
  std::string name{};
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  HistogramSnapshot recent{};    // execution times of the last minute or so
  HistogramSnapshot lifetime{};  // of all attempts
};

struct WorkerStats {
  std::uint64_t tasks = 0;  // completed or failed for good
  std::chrono::nanoseconds busy{0};
  std::chrono::nanoseconds idle{0};
  std::optional<TaskId> running = std::nullopt;
  std::chrono::nanoseconds running_for{0};  // since its last sign of life, or its start
  std::string note{};                       // what its task said it is at

  [[nodiscard]] double utilisation() const {
    const auto all = static_cast<double>((busy + idle).count());
    return all > 0 ? static_cast<double>(busy.count()) / all : 0.0;
  }
};

// Each number is exact for some moment between the call and the answer, but not all for the same
// one: a task may leave `queued` before it shows in `active`.
struct PoolStats {
  std::size_t capacity = 0;
  std::size_t queued = 0;
  std::size_t queue_high_water = 0;
  std::size_t waiting = 0;          // for a retry or a deferral, without a worker
  std::size_t waiting_submits = 0;  // producers at the door: backpressure, measured
  std::size_t active = 0;
  std::uint64_t accepted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t retried = 0;   // attempts after the first
  std::uint64_t deferred = 0;  // "not now" answers that did not count as attempts
  std::uint64_t inline_runs = 0;
  std::vector<TypeStats> types{};
  std::vector<WorkerStats> workers{};

  [[nodiscard]] double error_rate() const {
    const auto settled = static_cast<double>(completed + failed);
    return settled > 0 ? static_cast<double>(failed) / settled : 0.0;
  }
  [[nodiscard]] double utilisation() const;  // busy against idle time over all workers
};

}  // namespace tidemill::engine
