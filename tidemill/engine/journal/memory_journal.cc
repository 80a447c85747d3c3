#include "tidemill/engine/memory_journal.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::engine {
namespace {

// A row for each of the ids above `after`, at most `limit` of them.
template <class Row, class Read>
std::vector<Row> page(const std::set<TaskId>& ids, TaskId after, std::size_t limit, Read read) {
  std::vector<Row> rows;
  rows.reserve(std::min(limit, ids.size()));
  for (auto id = ids.upper_bound(after); id != ids.end() && rows.size() < limit; ++id) {
    rows.push_back(read(*id));
  }
  return rows;
}

}  // namespace

struct MemoryJournal::Apply {
  State& state;

  void operator()(const Found& entry) const {
    state.tasks.emplace(entry.id,
                        Kept{.type = entry.type, .subject = entry.subject, .weight = entry.weight});
    state.pending.insert(state.pending.end(), entry.id);
    ++state.tally.of(TaskState::pending);
  }

  void operator()(const Attempted& entry) const {
    Kept& task = state.tasks.at(entry.id);
    if (entry.attempt <= task.attempts) return;
    task.attempts = entry.attempt;
    note_failure(entry.id, entry.failure, entry.at);
    state.waits.insert_or_assign(entry.id, entry.not_before);
  }

  void operator()(const Checkpointed& entry) const {
    state.checkpoints.insert_or_assign(entry.id, entry.checkpoint);
  }

  void operator()(const Cleared& entry) const { state.checkpoints.erase(entry.id); }

  void operator()(const Crashed& entry) const { ++state.tasks.at(entry.id).crashes; }

  void operator()(const Done& entry) const {
    if (!moves(entry.id, TaskState::done)) return;
    Kept& task = state.tasks.at(entry.id);
    task.attempts = entry.attempts;
    task.outcome = entry.result;
    state.checkpoints.erase(entry.id);
  }

  void operator()(const Skipped& entry) const {
    if (!moves(entry.id, TaskState::skipped)) return;
    state.tasks.at(entry.id).outcome = entry.reason;
    state.checkpoints.erase(entry.id);
  }

  void operator()(const Died& entry) const {
    if (!moves(entry.id, TaskState::dead)) return;
    state.tasks.at(entry.id).attempts = entry.attempts;
    note_failure(entry.id, entry.failure, entry.at);
    state.dead.insert(entry.id);
  }

  void operator()(const Revived& entry) const {
    moves(entry.id, TaskState::pending);
    Kept& task = state.tasks.at(entry.id);
    task.attempts = 0;
    task.crashes = 0;
    state.failures.erase(entry.id);
    state.dead.erase(entry.id);
    state.pending.insert(entry.id);
  }

  void operator()(const Abandoned& entry) const {
    if (!moves(entry.id, TaskState::abandoned)) return;
    state.dead.erase(entry.id);
    state.checkpoints.erase(entry.id);
  }

 private:
  // False if the task is already in that state.
  bool moves(TaskId id, TaskState to) const {
    Kept& task = state.tasks.at(id);
    if (task.state == to) return false;
    if (task.state == TaskState::pending) {
      state.pending.erase(id);
      state.waits.erase(id);
    }
    --state.tally.of(task.state);
    ++state.tally.of(to);
    task.state = to;
    return true;
  }

  void note_failure(TaskId id, const Failure& failure, WallTime at) const {
    TaskFailures& kept = state.failures.try_emplace(id, TaskFailures{.first = at}).first->second;
    kept.failure = failure;
    kept.last = at;
  }
};

TaskRecord MemoryJournal::State::record(TaskId id) const {
  const Kept& task = tasks.at(id);
  const auto failed = failures.find(id);
  const auto wait = waits.find(id);
  return {.id = id,
          .type = task.type,
          .subject = task.subject,
          .weight = task.weight,
          .state = task.state,
          .attempts = task.attempts,
          .crashes = task.crashes,
          .not_before = wait == waits.end() ? WallTime{} : wait->second,
          .failures = failed == failures.end() ? std::nullopt : std::optional(failed->second),
          .has_checkpoint = checkpoints.contains(id),
          .outcome = task.outcome};
}

Letter MemoryJournal::State::letter(TaskId id) const {
  const Kept& task = tasks.at(id);
  return {.id = id,
          .type = task.type,
          .subject = task.subject,
          .weight = task.weight,
          .attempts = task.attempts,
          .crashes = task.crashes,
          .failures = failures.at(id),
          .checkpoint = checkpoint(id)};
}

std::optional<Checkpoint> MemoryJournal::State::checkpoint(TaskId id) const {
  const auto found = checkpoints.find(id);
  return found == checkpoints.end() ? std::nullopt : std::optional(found->second);
}

// Checks the complete batch before anything changes: an entry sees the effect of those before it.
Result<void> MemoryJournal::check(const State& state, std::span<const Entry> batch) {
  std::unordered_map<TaskId, TaskState> ahead;
  ahead.reserve(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const TaskId id = task_of(batch[i]);
    std::optional<TaskState> from;
    if (const auto seen = ahead.find(id); seen != ahead.end()) {
      from = seen->second;
    } else if (const auto known = state.tasks.find(id); known != state.tasks.end()) {
      from = known->second.state;
    }
    const auto to = next_state(from, batch[i]);
    if (!to) return std::unexpected(refusal(i, batch[i], from));
    ahead.insert_or_assign(id, *to);
  }
  return {};
}

Result<void> MemoryJournal::commit(std::span<const Entry> batch) {
  auto state = state_.lock();
  TRY(check(*state, batch));
  for (const Entry& entry : batch) std::visit(Apply{*state}, entry);
  return {};
}

Result<Tally> MemoryJournal::tally() const { return state_.lock()->tally; }

Result<TaskId> MemoryJournal::next_id() const {
  const auto state = state_.lock();
  return state->tasks.empty() ? 1 : state->tasks.rbegin()->first + 1;
}

Result<std::optional<TaskRecord>> MemoryJournal::task(TaskId id) const {
  const auto state = state_.lock();
  if (!state->tasks.contains(id)) return std::nullopt;
  return state->record(id);
}

Result<std::optional<Letter>> MemoryJournal::letter(TaskId id) const {
  const auto state = state_.lock();
  if (!state->dead.contains(id)) return std::nullopt;
  return state->letter(id);
}

Result<std::optional<Checkpoint>> MemoryJournal::checkpoint(TaskId id) const {
  return state_.lock()->checkpoint(id);
}

Result<std::vector<TaskRecord>> MemoryJournal::pending(TaskId after, std::size_t limit) const {
  const auto state = state_.lock();
  return page<TaskRecord>(state->pending, after, limit,
                          [&](TaskId id) { return state->record(id); });
}

Result<std::vector<Letter>> MemoryJournal::letters(TaskId after, std::size_t limit) const {
  const auto state = state_.lock();
  return page<Letter>(state->dead, after, limit, [&](TaskId id) { return state->letter(id); });
}

}  // namespace tidemill::engine
