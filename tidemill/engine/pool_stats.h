// PoolStats: a snapshot of a pool, as values that can be stored and sent.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

// Which bucket a duration falls into. Immutable.
//
// Four buckets per octave from 64 ns to 2^47 ns (39 hours); shorter durations share the first
// bucket, longer ones the last. A percentile is the middle of a bucket, so it is off by at most 1/8
// of the true value (by at most 32 ns below 64 ns; longer than 39 hours is reported as 39 hours).
struct HistogramScale {
  static constexpr int kFirstOctave = 6;  // 2^6 ns: all shorter ones are in bucket 0
  static constexpr int kLastOctave = 47;  // 2^47 ns: all longer ones are in the last bucket
  static constexpr std::size_t kBuckets = 4 * (kLastOctave - kFirstOctave) + 2;

  [[nodiscard]] static constexpr std::size_t bucket_of(std::chrono::nanoseconds duration) {
    const std::int64_t ns = duration.count();
    if (ns < std::int64_t{1} << kFirstOctave) return 0;  // negative ones too
    if (ns >= std::int64_t{1} << kLastOctave) return kBuckets - 1;
    const auto bits = static_cast<std::uint64_t>(ns);
    const auto octave = static_cast<int>(std::bit_width(bits)) - 1;  // unsigned in g++ 12
    const auto quarter = (bits >> (octave - 2)) & 3U;  // the two bits below the highest
    return 1 + 4 * static_cast<std::size_t>(octave - kFirstOctave) + quarter;
  }

  // A bucket holds lower <= duration < upper. The last has no end: nanoseconds::max().
  [[nodiscard]] static std::chrono::nanoseconds lower(std::size_t bucket);
  [[nodiscard]] static std::chrono::nanoseconds upper(std::size_t bucket);
};

// The contents of a histogram at one moment. A value: add those of several workers. Without records
// every function returns zero.
struct HistogramSnapshot {
  std::array<std::uint64_t, HistogramScale::kBuckets> counts{};
  std::chrono::nanoseconds sum{0};

  HistogramSnapshot& operator+=(const HistogramSnapshot& other);
  bool operator==(const HistogramSnapshot&) const = default;

  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::chrono::nanoseconds mean() const;
  // The shortest duration that `percent` (0 to 100) of the records do not exceed.
  [[nodiscard]] std::chrono::nanoseconds percentile(double percent) const;
  [[nodiscard]] std::chrono::nanoseconds max() const;  // an upper bound: every record is below
};

struct TypeStats {
  std::string name{};
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  HistogramSnapshot recent{};    // execution times of the last minute or so
  HistogramSnapshot lifetime{};  // of all attempts
};

struct WorkerStats {
  std::uint64_t tasks = 0;  // completed or failed permanently
  std::chrono::nanoseconds busy{0};
  std::chrono::nanoseconds idle{0};
  std::optional<TaskId> running = std::nullopt;
  std::chrono::nanoseconds running_for{0};  // since its last heartbeat, or its start
  std::string note{};                       // the last note of its task

  [[nodiscard]] double utilisation() const {
    const auto all = static_cast<double>((busy + idle).count());
    return all > 0 ? static_cast<double>(busy.count()) / all : 0.0;
  }
};

// One attempt at a task that took long.
struct SlowAttempt {
  TaskId task = 0;
  std::string type{};
  std::string note{};  // the task's last note: external data
  int attempt = 1;
  std::chrono::nanoseconds took{0};
  WallTime ended{};

  bool operator==(const SlowAttempt&) const = default;
};

// Each number is exact for some moment during the call, but not all for the same one: a task may
// leave `queued` before it shows in `active`.
struct PoolStats {
  std::size_t capacity = 0;
  std::size_t queued = 0;
  std::size_t queue_high_water = 0;
  std::size_t waiting = 0;          // for a retry or a deferral, without a worker
  std::size_t waiting_submits = 0;  // blocked producers: backpressure, measured
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
  [[nodiscard]] double utilisation() const;  // busy share of the time of all workers
};

}  // namespace tidemill::engine
