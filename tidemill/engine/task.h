// Task: one unit of work, and the numbers that travel with it.
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

// A higher one starts first; equal ones keep their order; none waits for ever (see
// PoolOptions::ageing).
enum class Priority : std::uint8_t { urgent, high, normal, low };
inline constexpr std::size_t kPriorities = 4;

[[nodiscard]] constexpr std::string_view name_of(Priority priority) {
  constexpr std::string_view kNames[] = {"urgent", "high", "normal", "low"};
  return kNames[static_cast<std::size_t>(priority)];
}

// Which of the tasks of one priority is next: the oldest, or the one with the smallest weight.
enum class Order : std::uint8_t { first_come, smallest_first };

// An index into PoolOptions::types, where a type has its name and its timeout.
using TaskType = std::uint8_t;

struct TaskTraits {
  TaskId id = 0;  // unique in its pool; 0: the pool gives it a number above all it has seen
  TaskType type = 0;
  Priority priority = Priority::normal;
  std::uint64_t weight = 0;  // its size, for Order::smallest_first
};

// One thread at a time; passed between threads by move.
struct Task {
  Task() = default;

  // Implicit, so that submit([] { … }) can be written.
  template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, Task>)
  Task(Body&& a_body, TaskTraits a_traits = {})  // NOLINT(google-explicit-constructor)
      : body(std::forward<Body>(a_body)), traits(a_traits) {}

  Closure body;
  TaskTraits traits;
  std::uint16_t attempt = 1;  // 1 for the first try
};

// The answer to whoever brings a task. Unless it is `accepted`, the task is still the caller's.
enum class [[nodiscard]] Admission : std::uint8_t {
  accepted,
  queue_full,  // no room now, and the caller does not want to wait
  stopped,     // closed or stopped: no room ever
  cancelled,   // the caller's own stop token fired while it waited
  timed_out,   // the caller's own deadline came while it waited
};

[[nodiscard]] constexpr std::string_view name_of(Admission answer) {
  constexpr std::string_view kNames[] = {"accepted", "queue full", "stopped", "cancelled",
                                         "timed out"};
  return kNames[static_cast<std::size_t>(answer)];
}

// What became of a task that was started, when nothing more will happen to it.
struct Settlement {
  TaskId id = 0;
  TaskType type = 0;
  int attempts = 0;
  const Result<void>* outcome = nullptr;  // never null when handed out

  [[nodiscard]] bool ok() const { return outcome->has_value(); }
};

// An attempt that failed and will be repeated.
struct Retrial {
  TaskId id = 0;
  TaskType type = 0;
  int attempt = 0;                   // the one that failed
  const Failure* failure = nullptr;  // never null when handed out
  std::chrono::milliseconds wait{0};
};

}  // namespace tidemill::engine
