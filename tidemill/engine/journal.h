// Journal: the state of every task of a run, stored so that a later process can resume it.
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
// A dead task has a dead letter. The journal does not record which tasks are running: a task costs
// one write when it is finished, and after a crash every pending task is run again. So work may be
// done twice, but it is counted once: Done, Skipped, Died or Abandoned for a task that is already
// in that state is accepted and changes nothing; the first result stays. The same holds for an
// Attempted that is not above the attempts already recorded.
//
// Done, Skipped and Abandoned remove the checkpoint, Died keeps it with the letter, Revived keeps
// it and resets attempts, crashes and failures. Cleared changes no state and is accepted in all.
//
// Ids are from 1 to kLastTaskId. Subjects, results, reasons and checkpoint data may hold any bytes.
// Times have a resolution of one microsecond.
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

// The largest id that a store with signed 64-bit keys can hold.
inline constexpr TaskId kLastTaskId = (TaskId{1} << 63U) - 1;

enum class TaskState : std::uint8_t { pending, done, skipped, dead, abandoned };
inline constexpr std::size_t kTaskStates = 5;

[[nodiscard]] constexpr std::string_view name_of(TaskState state) {
  constexpr std::string_view kNames[] = {"pending", "done", "skipped", "dead", "abandoned"};
  return kNames[static_cast<std::size_t>(state)];
}

// An entry is one event of a task. All entries are values.
struct Found {
  TaskId id = 0;
  std::string type{};     // its name: an index may mean another type in the next version
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

// The checkpoint is no longer needed.
struct Cleared {
  TaskId id = 0;
};

// A process crashed while it ran this task. The next process records it, and makes the task Died if
// it has happened too often. It does not count as an attempt: another task that ran at the same
// time may have caused the crash.
struct Crashed {
  TaskId id = 0;
};

struct Done {
  TaskId id = 0;
  int attempts = 1;
  std::string result{};  // small; a job stores large results elsewhere
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

// The letter is removed and the task is pending again. One entry does both, so that a task is never
// in both places or in neither.
struct Revived {
  TaskId id = 0;
};

// The letter is dropped; the task counts as failed permanently.
struct Abandoned {
  TaskId id = 0;
};

using Entry = std::variant<Found, Attempted, Checkpointed, Cleared, Crashed, Done, Skipped, Died,
                           Revived, Abandoned>;

[[nodiscard]] TaskId task_of(const Entry& entry);
[[nodiscard]] std::string_view name_of(const Entry& entry);

// The drawing above as a function, for all implementations: the next state of a task in `from`
// (nullopt: not found yet), or nullopt if there is no such arrow.
[[nodiscard]] std::optional<TaskState> next_state(std::optional<TaskState> from,
                                                  const Entry& entry);

// The failure of commit() for an entry that next_state() refuses; `index` counts from 0.
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
struct TaskFailures {
  Failure failure{};  // the last one
  WallTime first{};
  WallTime last{};
  bool operator==(const TaskFailures&) const = default;
};

struct TaskRecord {
  TaskId id = 0;
  std::string type{};
  std::string subject{};
  std::uint64_t weight = 0;
  TaskState state = TaskState::pending;
  int attempts = 0;  // those that have ended
  int crashes = 0;
  WallTime not_before{};  // earliest next attempt of a pending task
  std::optional<TaskFailures> failures{};
  bool has_checkpoint = false;
  std::string outcome{};  // the result of a done task, the reason of a skipped one
  bool operator==(const TaskRecord&) const = default;
};

// A dead letter: everything needed to show a dead task to a person, and to run it again.
struct Letter {
  TaskId id = 0;
  std::string type{};
  std::string subject{};
  std::uint64_t weight = 0;
  int attempts = 0;
  int crashes = 0;
  TaskFailures failures{};
  std::optional<Checkpoint> checkpoint{};
  bool operator==(const Letter&) const = default;
};

// Thread-safe.
class Journal {
 public:
  virtual ~Journal() = default;

  // Applies the entries in order, all or none, and is durable when it returns. If an entry is not
  // an arrow of the drawing, the batch is refused with Cure::give_up and a reason that names the
  // entry. After a failure nothing of the batch was applied; a store that cannot guarantee that
  // (the disk failed in the middle of a commit) refuses everything from then on, until it is
  // reopened.
  [[nodiscard]] virtual Result<void> commit(std::span<const Entry> batch) = 0;
  [[nodiscard]] Result<void> commit_one(const Entry& entry) { return commit({&entry, 1}); }

  [[nodiscard]] virtual Result<Tally> tally() const = 0;     // cheap at any size: never counts rows
  [[nodiscard]] virtual Result<TaskId> next_id() const = 0;  // one above the highest ever found

  // nullopt: no such task, no letter, no checkpoint.
  [[nodiscard]] virtual Result<std::optional<TaskRecord>> task(TaskId id) const = 0;
  [[nodiscard]] virtual Result<std::optional<Letter>> letter(TaskId id) const = 0;
  [[nodiscard]] virtual Result<std::optional<Checkpoint>> checkpoint(TaskId id) const = 0;

  // Pages in the order of ids, the first with `after` = 0. A page shorter than the limit is the
  // last. A commit between two pages is visible if its ids are still ahead.
  [[nodiscard]] virtual Result<std::vector<TaskRecord>> pending(TaskId after,
                                                                std::size_t limit) const = 0;
  [[nodiscard]] virtual Result<std::vector<Letter>> letters(TaskId after,
                                                            std::size_t limit) const = 0;
};

}  // namespace tidemill::engine
