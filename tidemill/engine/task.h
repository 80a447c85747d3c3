// Task: one unit of work, with its id, type, priority and attempt; and what a pool reports about
// it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/engine/closure.h"

namespace tidemill::engine {

using TaskId = std::uint64_t;  // unique in its pool and in its run

// A higher one starts first; equal ones keep their order; none starves (see PoolOptions::ageing).
enum class Priority : std::uint8_t { urgent, high, normal, low };
inline constexpr std::size_t kPriorities = 4;

[[nodiscard]] constexpr std::string_view name_of(Priority priority) {
  constexpr std::string_view kNames[] = {"urgent", "high", "normal", "low"};
  return kNames[static_cast<std::size_t>(priority)];
}

// Which task of a priority is next: the oldest, or the one with the smallest weight.
enum class TaskOrder : std::uint8_t { first_come, smallest_first };

// An index into PoolOptions::types, which has the name and timeout of each type.
using TaskType = std::uint8_t;

struct TaskTraits {
  TaskId id = 0;  // unique in its pool; 0: the pool assigns one above all it has seen
  TaskType type = 0;
  Priority priority = Priority::normal;
  std::uint64_t weight = 0;  // its size, for TaskOrder::smallest_first
};

// One thread at a time; passed between threads by move.
struct Task {
  Task() = default;

  // Implicit, so that submit([] { … }) compiles.
  template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, Task>)
  Task(Body&& a_body, TaskTraits a_traits = {})  // NOLINT(google-explicit-constructor)
      : body(std::forward<Body>(a_body)), traits(a_traits) {}

  Closure body;
  TaskTraits traits;
  std::uint16_t attempt = 1;  // 1 for the first
};

// The answer to a submit. Unless it is `accepted`, the caller still has the task.
enum class [[nodiscard]] Admission : std::uint8_t {
  accepted,
  queue_full,  // no room now, and the call does not wait
  stopped,     // closed or stopped: never again
  cancelled,   // the caller's own stop token fired while it waited
  timed_out,   // the caller's own deadline came while it waited
};

[[nodiscard]] constexpr std::string_view name_of(Admission answer) {
  constexpr std::string_view kNames[] = {"accepted", "queue full", "stopped", "cancelled",
                                         "timed out"};
  return kNames[static_cast<std::size_t>(answer)];
}

// The final outcome of a task that was started.
struct Settlement {
  TaskId id = 0;
  TaskType type = 0;
  int attempts = 0;
  const Result<void>* outcome = nullptr;  // never null in a callback

  [[nodiscard]] bool ok() const { return outcome->has_value(); }
};

// An attempt that failed and will be retried.
struct Retrial {
  TaskId id = 0;
  TaskType type = 0;
  int attempt = 0;                   // the one that failed
  const Failure* failure = nullptr;  // never null in a callback
  std::chrono::milliseconds wait{0};
};

}  // namespace tidemill::engine
