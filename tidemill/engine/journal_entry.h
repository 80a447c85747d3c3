// Entry: one piece of news about a task, as it is written into a Journal. Values, all of them;
// journal.h has the drawing of the states that they lead through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/task_id.h"

namespace tidemill::engine {

// What a store with signed keys can hold.
inline constexpr TaskId kLastTaskId = (TaskId{1} << 63U) - 1;

enum class TaskState : std::uint8_t { pending, done, skipped, dead, abandoned };
inline constexpr std::size_t kTaskStates = 5;

[[nodiscard]] constexpr std::string_view name_of(TaskState state) {
  constexpr std::string_view kNames[] = {"pending", "done", "skipped", "dead", "abandoned"};
  return kNames[static_cast<std::size_t>(state)];
}

struct Found {
  TaskId id = 0;
  std::string type{};     // its name: an index would mean another type in the next program
  std::string subject{};  // what the task is about: a path, a key
  std::uint64_t weight = 0;
};

// An attempt failed and another one will follow.
struct Attempted {
  TaskId id = 0;
  int attempt = 1;
  Failure failure{};
  WallTime at{};
  WallTime not_before{};  // of the next attempt
};

struct Checkpointed {
  TaskId id = 0;
  Checkpoint checkpoint{};
};

// The checkpoint is not wanted any more.
struct Cleared {
  TaskId id = 0;
};

// A process died while it ran this task. The next process says so, and makes the task Died when it
// has happened too often; it is not an attempt, for the task may be only a neighbour of the
// culprit.
struct Crashed {
  TaskId id = 0;
};

struct Done {
  TaskId id = 0;
  int attempts = 1;
  std::string result{};  // small; large results live where the job keeps them
};

struct Skipped {
  TaskId id = 0;
  std::string reason{};
};

struct Died {
  TaskId id = 0;
  int attempts = 1;
  Failure failure{};
  WallTime at{};
};

// The letter is taken back and the task is pending again, in one entry: it is never in both places
// and never in neither.
struct Revived {
  TaskId id = 0;
};

// The letter is dropped; the task counts as failed for ever.
struct Abandoned {
  TaskId id = 0;
};

using Entry = std::variant<Found, Attempted, Checkpointed, Cleared, Crashed, Done, Skipped, Died,
                           Revived, Abandoned>;

[[nodiscard]] TaskId task_of(const Entry& entry);
[[nodiscard]] std::string_view name_of(const Entry& entry);

// The drawing in journal.h as a function, for every implementation: where the entry takes a task
// that is in `from` (nothing: not found yet), or nothing when there is no such arrow.
[[nodiscard]] std::optional<TaskState> next_state(std::optional<TaskState> from,
                                                  const Entry& entry);

// What commit() says about an entry for which next_state() has no answer; `index` counts from 0.
[[nodiscard]] Failure refusal(std::size_t index, const Entry& entry, std::optional<TaskState> from);

}  // namespace tidemill::engine
