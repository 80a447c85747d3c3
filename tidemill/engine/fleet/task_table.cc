#include "tidemill/engine/fleet/task_table.h"

#include <algorithm>

namespace tidemill::engine {
namespace {

Bytes size_of(const FleetTask& task) { return size_of(std::span(&task, 1)); }

Failure too_many_crashes(int crashes) {
  return {.cure = Cure::give_up,
          .step = "crash",
          .reason = std::to_string(crashes) + " worker processes crashed while they ran this task",
          .hint = "if something else killed them, retry the task"};
}

}  // namespace

FleetTaskTable::TaskEntry& FleetTaskTable::insert(const TaskRecord& record) {
  TaskEntry& entry = tasks_[record.id];
  entry.task = {.id = record.id, .attempt = record.attempts + 1, .crashes = record.crashes};
  return entry;
}

void FleetTaskTable::add(const TaskRecord& record, std::string payload) {
  const bool is_early = early_.erase(record.id) > 0;
  const auto known = tasks_.find(record.id);
  if (is_early && known == tasks_.end()) return;  // settled since it was read
  TaskEntry& entry = known == tasks_.end() ? insert(record) : known->second;
  entry.task.payload = std::move(payload);
  entry.has_payload = true;
  if (entry.state == State::waiting) make_ready(entry);
}

void FleetTaskTable::adopt(const TaskRecord& record, std::optional<std::string> payload) {
  TaskEntry& entry = insert(record);
  early_.insert(record.id);
  if (!payload) return;
  entry.task.payload = *std::move(payload);
  entry.has_payload = true;
}

void FleetTaskTable::move_to(TaskEntry& entry, State state) {
  const TaskId id = entry.task.id;
  if (entry.state == State::ready) --ready_count_;
  if (entry.state == State::suspect) suspects_.erase({entry.task.crashes, id});
  if (entry.state == State::delayed) delayed_.erase({entry.due, id});
  entry.state = state;
  if (state == State::ready) {
    ++ready_count_;
    ready_.push_back(id);
  }
  if (state == State::suspect) suspects_.emplace(entry.task.crashes, id);
  if (state == State::delayed) delayed_.emplace(entry.due, id);
}

void FleetTaskTable::make_ready(TaskEntry& entry) {
  if (!entry.has_payload) return move_to(entry, State::waiting);
  move_to(entry, entry.task.crashes > 0 ? State::suspect : State::ready);
}

void FleetTaskTable::forget(TaskEntry& entry) {
  move_to(entry, State::waiting);
  tasks_.erase(entry.task.id);
}

std::vector<FleetTask> FleetTaskTable::take(std::size_t limit, Bytes bytes, bool with_suspects) {
  std::vector<FleetTask> taken;
  Bytes sum{};
  while (taken.size() < limit && !ready_.empty()) {
    const auto found = tasks_.find(ready_.front());
    if (found == tasks_.end() || found->second.state != State::ready) {
      ready_.pop_front();
      continue;
    }
    TaskEntry& entry = found->second;
    if (!taken.empty() && sum + size_of(entry.task) > bytes) break;
    sum += size_of(entry.task);
    taken.push_back(entry.task);
    ready_.pop_front();
    move_to(entry, State::waiting);
  }
  if (taken.empty() && limit > 0 && with_suspects && !suspects_.empty()) {
    TaskEntry& suspect = tasks_.at(suspects_.begin()->second);
    taken.push_back(suspect.task);
    move_to(suspect, State::waiting);
  }
  return taken;
}

void FleetTaskTable::launch(ParcelId id, std::span<const FleetTask> tasks) {
  Flight flight{.size = size_of(tasks)};
  for (const FleetTask& task : tasks) {
    TaskEntry& entry = tasks_.at(task.id);
    entry.parcel = id;
    move_to(entry, State::in_flight);
    flight.tasks.push_back(task.id);
  }
  bytes_in_flight_ += flight.size;
  flights_.insert_or_assign(id, std::move(flight));
}

void FleetTaskTable::adopt_parcel(const FleetParcel& parcel) {
  Flight flight{.size = size_of(parcel.tasks)};
  for (const FleetTask& task : parcel.tasks) {
    const auto found = tasks_.find(task.id);
    if (found == tasks_.end()) continue;
    TaskEntry& entry = found->second;
    if (entry.task.attempt != task.attempt || entry.task.crashes != task.crashes) {
      // An earlier try: of its reports only a result would count.
      if (entry.state == State::waiting) make_ready(entry);
      continue;
    }
    entry.parcel = parcel.id;
    move_to(entry, State::in_flight);
    flight.tasks.push_back(task.id);
  }
  bytes_in_flight_ += flight.size;
  flights_.insert_or_assign(parcel.id, std::move(flight));
}

void FleetTaskTable::land(ParcelId id) {
  const auto flight = flights_.find(id);
  if (flight == flights_.end()) return;
  for (const TaskId task : flight->second.tasks) {
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) continue;
    TaskEntry& entry = found->second;
    if (entry.state == State::in_flight && entry.parcel == id) make_ready(entry);
  }
  bytes_in_flight_ -= flight->second.size;
  flights_.erase(flight);
}

bool FleetTaskTable::settle(ParcelId parcel, const TaskReport& report, Instant now, WallTime wall,
                            Dice& dice, std::vector<Entry>& entries) {
  const auto found = tasks_.find(report.id);
  if (found == tasks_.end()) return false;
  TaskEntry& entry = found->second;
  const FleetTask& task = entry.task;
  const bool is_this_try = report.attempt == task.attempt && report.crashes == task.crashes;
  const bool is_there = entry.state == State::in_flight && entry.parcel == parcel;
  switch (report.end) {
    case TaskEnd::done:
      entries.emplace_back(Done{.id = task.id,
                                .attempts = std::max(report.attempt, task.attempt),
                                .result = report.text});
      forget(entry);
      return true;
    case TaskEnd::skipped:
      entries.emplace_back(Skipped{.id = task.id, .reason = report.text});
      forget(entry);
      return true;
    case TaskEnd::failed:
      // A task that was put off is still the same try: the report counts in its parcel only.
      if (!is_this_try || (report.failure.cure == Cure::later && !is_there)) return false;
      fail(entry, report, now, wall, dice, entries);
      return true;
    case TaskEnd::crashed:
      if (!is_this_try) return false;
      crash(entry, wall, entries);
      return true;
    case TaskEnd::returned:
      if (is_there) make_ready(entry);
      return is_there;
  }
  return false;
}

void FleetTaskTable::fail(TaskEntry& entry, const TaskReport& report, Instant now, WallTime wall,
                          Dice& dice, std::vector<Entry>& entries) {
  FleetTask& task = entry.task;
  const auto delay = options_.retry.after(report.failure, task.attempt, dice.draw());
  if (!delay) {
    entries.emplace_back(
        Died{.id = task.id, .attempts = task.attempt, .failure = report.failure, .at = wall});
    return forget(entry);
  }
  if (report.failure.cure != Cure::later) {
    entries.emplace_back(Attempted{.id = task.id,
                                   .attempt = task.attempt,
                                   .failure = report.failure,
                                   .at = wall,
                                   .not_before = wall + *delay});
    ++task.attempt;
  }
  move_to(entry, State::waiting);
  entry.due = now + *delay;
  move_to(entry, State::delayed);
}

void FleetTaskTable::crash(TaskEntry& entry, WallTime wall, std::vector<Entry>& entries) {
  FleetTask& task = entry.task;
  move_to(entry, State::waiting);
  ++task.crashes;
  entries.emplace_back(Crashed{.id = task.id});
  if (task.crashes < options_.most_crashes) return make_ready(entry);
  entries.emplace_back(Died{.id = task.id,
                            .attempts = task.attempt - 1,
                            .failure = too_many_crashes(task.crashes),
                            .at = wall});
  forget(entry);
}

void FleetTaskTable::wake(Instant now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    make_ready(tasks_.at(delayed_.begin()->second));
  }
}

std::vector<ParcelId> FleetTaskTable::parcels() const {
  std::vector<ParcelId> ids;
  ids.reserve(flights_.size());
  for (const auto& [id, flight] : flights_) ids.push_back(id);
  return ids;
}

}  // namespace tidemill::engine
