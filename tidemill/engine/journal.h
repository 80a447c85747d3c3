// Journal: what became of every task of a run, kept so that a later process can go on.
//
//        Attempted, Checkpointed, Crashed
//                  ┌───┐
//                  │   ▼
//   Found ───────► pending ─── Done ──────► done
//                  ▲   │  └─── Skipped ───► skipped
//          Revived │   │ Died
//                  │   ▼
//                  dead ─────── Abandoned ─► abandoned
//
//   found = pending + done + skipped + dead + abandoned          failed = dead + abandoned
//
// A dead task has a letter. Which tasks run at this moment is known to the pool alone: a task costs
// one write when it is finished, and after a crash whatever is pending is simply run again. So work
// may be done twice, but it is counted once: Done, Skipped, Died and Abandoned reported again for a
// task that is already there are accepted and change nothing; the first result stays. The same
// holds for an Attempted that is not above the attempts already recorded.
//
// Done, Skipped and Abandoned remove the checkpoint, Died keeps it with the letter, Revived keeps
// it and forgets attempts, crashes and trouble. Cleared is no transition: it fits every state.
//
// Ids run from 1 to kLastTaskId. Subjects, results, reasons and checkpoint data are bytes, any
// bytes. Times are kept to the microsecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

// What a store with signed keys can hold.
inline constexpr TaskId kLastTaskId = (TaskId{1} << 63U) - 1;

enum class TaskState : std::uint8_t { pending, done, skipped, dead, abandoned };
inline constexpr std::size_t kTaskStates = 5;

[[nodiscard]] constexpr std::string_view name_of(TaskState state) {
  constexpr std::string_view kNames[] = {"pending", "done", "skipped", "dead", "abandoned"};
  return kNames[static_cast<std::size_t>(state)];
}

// An entry is one piece of news about a task. Values, all of them.
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

// The drawing above as a function, for every implementation: where the entry takes a task
// that is in `from` (nothing: not found yet), or nothing when there is no such arrow.
[[nodiscard]] std::optional<TaskState> next_state(std::optional<TaskState> from,
                                                  const Entry& entry);

// What commit() says about an entry for which next_state() has no answer; `index` counts from 0.
[[nodiscard]] Failure refusal(std::size_t index, const Entry& entry, std::optional<TaskState> from);

struct Tally {
  std::array<std::uint64_t, kTaskStates> counts{};

  [[nodiscard]] std::uint64_t& of(TaskState s) { return counts[static_cast<std::size_t>(s)]; }
  [[nodiscard]] std::uint64_t of(TaskState s) const { return counts[static_cast<std::size_t>(s)]; }
  [[nodiscard]] std::uint64_t pending() const { return of(TaskState::pending); }
  [[nodiscard]] std::uint64_t done() const { return of(TaskState::done); }
  [[nodiscard]] std::uint64_t skipped() const { return of(TaskState::skipped); }
  [[nodiscard]] std::uint64_t dead() const { return of(TaskState::dead); }
  [[nodiscard]] std::uint64_t abandoned() const { return of(TaskState::abandoned); }
  [[nodiscard]] std::uint64_t failed() const { return dead() + abandoned(); }
  [[nodiscard]] std::uint64_t found() const { return pending() + done() + skipped() + failed(); }
  bool operator==(const Tally&) const = default;
};

// The failures of a task since it was found or revived.
struct Trouble {
  Failure failure{};  // the last one
  WallTime first{};
  WallTime last{};
  bool operator==(const Trouble&) const = default;
};

struct TaskRecord {
  TaskId id = 0;
  std::string type{};
  std::string subject{};
  std::uint64_t weight = 0;
  TaskState state = TaskState::pending;
  int attempts = 0;  // those that came to an end
  int crashes = 0;
  WallTime not_before{};  // of a pending task that waits for its next attempt
  std::optional<Trouble> trouble{};
  bool has_checkpoint = false;
  std::string outcome{};  // of a done task its result, of a skipped one the reason
  bool operator==(const TaskRecord&) const = default;
};

// Everything needed to show a dead task to a person, and to build it anew.
struct Letter {
  TaskId id = 0;
  std::string type{};
  std::string subject{};
  std::uint64_t weight = 0;
  int attempts = 0;
  int crashes = 0;
  Trouble trouble{};
  std::optional<Checkpoint> checkpoint{};
  bool operator==(const Letter&) const = default;
};

// Thread-safe.
class Journal {
 public:
  virtual ~Journal() = default;

  // Applies the entries in order, whole or not at all, and is durable when it returns. An entry
  // that is no arrow of the drawing refuses the whole batch with Cure::give_up and names the entry.
  // After a failure nothing of the batch was applied; a store that cannot be sure of that (the disk
  // failed in the middle of a commit) refuses everything from then on, until it is opened again.
  [[nodiscard]] virtual Result<void> commit(std::span<const Entry> batch) = 0;
  [[nodiscard]] Result<void> commit_one(const Entry& entry) { return commit({&entry, 1}); }

  [[nodiscard]] virtual Result<Tally> tally() const = 0;     // cheap at any size: never counts rows
  [[nodiscard]] virtual Result<TaskId> next_id() const = 0;  // one above the highest ever found

  // Nothing: no such task, no letter, no checkpoint.
  [[nodiscard]] virtual Result<std::optional<TaskRecord>> task(TaskId id) const = 0;
  [[nodiscard]] virtual Result<std::optional<Letter>> letter(TaskId id) const = 0;
  [[nodiscard]] virtual Result<std::optional<Checkpoint>> checkpoint(TaskId id) const = 0;

  // Pages in the order of ids, the first with `after` = 0. A page shorter than the limit is the
  // last. Commits between two pages are seen as far as they concern ids not passed yet.
  [[nodiscard]] virtual Result<std::vector<TaskRecord>> pending(TaskId after,
                                                                std::size_t limit) const = 0;
  [[nodiscard]] virtual Result<std::vector<Letter>> letters(TaskId after,
                                                            std::size_t limit) const = 0;
};

}  // namespace tidemill::engine
