// MemoryJournal: a Journal in memory, for runs that will not be resumed, and for tests. The only
// failure is an entry that is not allowed.
#pragma once

#include <map>
#include <set>

#include "tidemill/base/guarded.h"
#include "tidemill/engine/journal.h"

namespace tidemill::engine {

// Thread-safe. One lock: a commit is one critical section, so a reader sees all of it or none.
class MemoryJournal final : public Journal {
 public:
  [[nodiscard]] Result<void> commit(std::span<const Entry> batch) override;

  [[nodiscard]] Result<Tally> tally() const override;
  [[nodiscard]] Result<TaskId> next_id() const override;
  [[nodiscard]] Result<std::optional<TaskRecord>> task(TaskId id) const override;
  [[nodiscard]] Result<std::optional<Letter>> letter(TaskId id) const override;
  [[nodiscard]] Result<std::optional<Checkpoint>> checkpoint(TaskId id) const override;
  [[nodiscard]] Result<std::vector<TaskRecord>> pending(TaskId after,
                                                        std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<Letter>> letters(TaskId after, std::size_t limit) const override;

 private:
  // What every task has. Most tasks are done at the first attempt and need nothing more.
  struct Kept {
    std::string type{};
    std::string subject{};
    std::string outcome{};
    std::uint64_t weight = 0;
    int attempts = 0;
    int crashes = 0;
    TaskState state = TaskState::pending;
  };

  struct State {
    std::map<TaskId, Kept> tasks;
    std::set<TaskId> pending;  // the ids in that state, in the order of pages
    std::set<TaskId> dead;
    std::map<TaskId, TaskFailures> failures;
    std::map<TaskId, WallTime> waits;  // not_before of pending tasks
    std::map<TaskId, Checkpoint> checkpoints;
    Tally tally;

    [[nodiscard]] TaskRecord record(TaskId id) const;
    [[nodiscard]] Letter letter(TaskId id) const;
    [[nodiscard]] std::optional<Checkpoint> checkpoint(TaskId id) const;
  };

  struct Apply;  // applies one entry that check() has accepted

  [[nodiscard]] static Result<void> check(const State& state, std::span<const Entry> batch);

  mutable Guarded<State> state_;
};

}  // namespace tidemill::engine
