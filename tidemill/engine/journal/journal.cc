#include "tidemill/engine/journal.h"

#include <iterator>

namespace tidemill::engine {
namespace {

using State = std::optional<TaskState>;

// One line for each arrow of the drawing in journal.h.
struct Arrow {
  TaskState from;

  State operator()(const Found& /*entry*/) const { return {}; }
  State operator()(const Attempted& /*entry*/) const { return stays_pending(); }
  State operator()(const Checkpointed& /*entry*/) const { return stays_pending(); }
  State operator()(const Cleared& /*entry*/) const { return from; }
  State operator()(const Crashed& /*entry*/) const { return stays_pending(); }
  State operator()(const Done& /*entry*/) const {
    return goes(TaskState::pending, TaskState::done);
  }
  State operator()(const Skipped& /*entry*/) const {
    return goes(TaskState::pending, TaskState::skipped);
  }
  State operator()(const Died& /*entry*/) const {
    return goes(TaskState::pending, TaskState::dead);
  }
  State operator()(const Revived& /*entry*/) const {
    return from == TaskState::dead ? State(TaskState::pending) : State();
  }
  State operator()(const Abandoned& /*entry*/) const {
    return goes(TaskState::dead, TaskState::abandoned);
  }

 private:
  [[nodiscard]] State stays_pending() const {
    return from == TaskState::pending ? State(from) : State();
  }
  // A task that is already in `end` stays there: the entry was reported twice.
  [[nodiscard]] State goes(TaskState start, TaskState end) const {
    return from == start || from == end ? State(end) : State();
  }
};

}  // namespace

TaskId task_of(const Entry& entry) {
  return std::visit([](const auto& e) { return e.id; }, entry);
}

std::string_view name_of(const Entry& entry) {
  constexpr std::string_view kNames[] = {"Found",   "Attempted", "Checkpointed", "Cleared",
                                         "Crashed", "Done",      "Skipped",      "Died",
                                         "Revived", "Abandoned"};
  static_assert(std::size(kNames) == std::variant_size_v<Entry>);
  return kNames[entry.index()];
}

std::optional<TaskState> next_state(std::optional<TaskState> from, const Entry& entry) {
  if (from) return std::visit(Arrow{*from}, entry);
  const TaskId id = task_of(entry);
  const bool is_new = std::holds_alternative<Found>(entry) && id >= 1 && id <= kLastTaskId;
  return is_new ? State(TaskState::pending) : State();
}

Failure refusal(std::size_t index, const Entry& entry, std::optional<TaskState> from) {
  std::string why = from ? "the task is " + std::string(name_of(*from)) : "no such task";
  if (!from && std::holds_alternative<Found>(entry)) why = "an id must be between 1 and 2^63 - 1";
  return {.cure = Cure::give_up,
          .step = "journal",
          .reason = "entry " + std::to_string(index) + ", " + std::string(name_of(entry)) +
                    " of task " + std::to_string(task_of(entry)) + ": " + why};
}

}  // namespace tidemill::engine
