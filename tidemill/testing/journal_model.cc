#include "tidemill/testing/journal_model.h"

#include <string_view>
#include <utility>

namespace tidemill::testing {

using namespace engine;

namespace {

// One row per kind of entry, one column per state; '.': refused.
constexpr std::string_view kStates = "-pdsxa";  // unknown, pending, done, skipped, dead, abandoned
constexpr std::string_view kArrows[] = {
    "p.....",  // Found
    ".p....",  // Attempted
    ".p....",  // Checkpointed
    ".pdsxa",  // Cleared
    ".p....",  // Crashed
    ".dd...",  // Done
    ".s.s..",  // Skipped
    ".x..x.",  // Died
    "....p.",  // Revived
    "....aa",  // Abandoned
};
static_assert(std::size(kArrows) == kEntryKinds);

void add_failure(TaskRecord& record, const Failure& failure, WallTime at) {
  const WallTime first = record.failures ? record.failures->first : at;
  record.failures = TaskFailures{.failure = failure, .first = first, .last = at};
}

Failure failure_of(int n) {
  return {.cure = n % 2 == 0 ? Cure::retry : Cure::resume,
          .step = "step " + std::to_string(n),
          .reason = "reason " + std::to_string(n),
          .hint = "hint " + std::to_string(n),
          .not_before = std::chrono::milliseconds(n)};
}

}  // namespace

WallTime at_second(int n) { return WallTime(std::chrono::seconds(1'700'000'000 + n)); }

Entry make_entry(std::size_t kind, TaskId id, int n) {
  const std::string text = std::to_string(n);
  switch (kind) {
    case 0:
      return Found{.id = id, .type = "t" + text, .subject = "s" + text, .weight = TaskId(n)};
    case 1:
      return Attempted{.id = id,
                       .attempt = n,
                       .failure = failure_of(n),
                       .at = at_second(n),
                       .not_before = at_second(n + 1)};
    case 2:
      return Checkpointed{.id = id,
                          .checkpoint = {.steps_done = std::size_t(n),
                                         .last_step = "l" + text,
                                         .data = "d" + text,
                                         .warnings = std::vector(std::size_t(n % 3), "w" + text)}};
    case 3:
      return Cleared{.id = id};
    case 4:
      return Crashed{.id = id};
    case 5:
      return Done{.id = id, .attempts = n, .result = "r" + text};
    case 6:
      return Skipped{.id = id, .reason = "k" + text};
    case 7:
      return Died{.id = id, .attempts = n, .failure = failure_of(n), .at = at_second(n)};
    case 8:
      return Revived{.id = id};
    default:
      return Abandoned{.id = id};
  }
}

JournalModel::State JournalModel::arrow(State from, std::size_t kind) {
  const char to = kArrows[kind][from ? std::size_t(*from) + 1 : 0];
  if (to == '.') return std::nullopt;
  return TaskState(kStates.find(to) - 1);
}

void JournalModel::apply(const Entry& entry, TaskState to, Task& task) {
  TaskRecord& r = task.record;
  const TaskState from = std::exchange(r.state, to);
  if (const auto* e = std::get_if<Found>(&entry)) {
    r = {.id = e->id, .type = e->type, .subject = e->subject, .weight = e->weight};
  }
  if (const auto* e = std::get_if<Attempted>(&entry); e != nullptr && e->attempt > r.attempts) {
    r.attempts = e->attempt;
    r.not_before = e->not_before;
    add_failure(r, e->failure, e->at);
  }
  if (const auto* e = std::get_if<Checkpointed>(&entry)) task.checkpoint = e->checkpoint;
  if (std::holds_alternative<Cleared>(entry)) task.checkpoint.reset();
  if (std::holds_alternative<Crashed>(entry)) ++r.crashes;
  if (from == to) return;
  r.not_before = {};
  if (const auto* e = std::get_if<Done>(&entry)) r.attempts = e->attempts, r.outcome = e->result;
  if (const auto* e = std::get_if<Skipped>(&entry)) r.outcome = e->reason;
  if (const auto* e = std::get_if<Died>(&entry)) {
    r.attempts = e->attempts;
    add_failure(r, e->failure, e->at);
  }
  if (std::holds_alternative<Revived>(entry)) r.attempts = 0, r.crashes = 0, r.failures.reset();
  if (to != TaskState::dead && to != TaskState::pending) task.checkpoint.reset();
}

bool JournalModel::commit(std::span<const Entry> batch) {
  Tasks after = tasks_;
  for (const Entry& entry : batch) {
    const auto known = after.find(task_of(entry));
    const State from = known == after.end() ? State() : State(known->second.record.state);
    const State to = arrow(from, entry.index());
    if (!to) return false;
    apply(entry, *to, after[task_of(entry)]);
  }
  tasks_ = std::move(after);
  return true;
}

Letter JournalModel::letter_of(const Task& task) {
  const TaskRecord& r = task.record;
  return {.id = r.id,
          .type = r.type,
          .subject = r.subject,
          .weight = r.weight,
          .attempts = r.attempts,
          .crashes = r.crashes,
          .failures = r.failures.value(),
          .checkpoint = task.checkpoint};
}

std::string JournalModel::difference(const Journal& journal) const {
  Tally tally;
  std::vector<TaskRecord> pending;
  std::vector<Letter> letters;
  for (auto [id, task] : tasks_) {
    const std::string of_task = " of task " + std::to_string(id);
    task.record.has_checkpoint = task.checkpoint.has_value();
    const bool is_dead = task.record.state == TaskState::dead;
    const auto letter = is_dead ? std::optional(letter_of(task)) : std::nullopt;
    ++tally.of(task.record.state);
    if (task.record.state == TaskState::pending) pending.push_back(task.record);
    if (letter) letters.push_back(*letter);
    if (journal.task(id).value() != task.record) return "record" + of_task;
    if (journal.checkpoint(id).value() != task.checkpoint) return "checkpoint" + of_task;
    if (journal.letter(id).value() != letter) return "letter" + of_task;
  }
  if (journal.tally().value() != tally) return "tally";
  if (tally.found() != tasks_.size()) return "found";
  if (journal.next_id() != (tasks_.empty() ? 1 : tasks_.rbegin()->first + 1)) return "next id";
  if (journal.pending(0, tasks_.size() + 1) != pending) return "pending";
  if (journal.letters(0, tasks_.size() + 1) != letters) return "letters";
  return {};
}

Entry next_entry(const Draw& draw, const JournalModel& model, std::vector<Entry> batch) {
  const auto& [kind, id, n, ends] = draw;
  batch.emplace_back();
  for (std::size_t turn = 0; turn < kEntryKinds; ++turn) {
    batch.back() = make_entry((kind + turn) % kEntryKinds, id % 8U + 1U, n % 5 + 1);
    if (n % 16 == 15 || JournalModel(model).commit(batch)) break;
  }
  return batch.back();
}

}  // namespace tidemill::testing
