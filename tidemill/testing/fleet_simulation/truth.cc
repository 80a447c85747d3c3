#include "tidemill/testing/fleet_simulation/truth.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/engine/fleet/parcel_size.h"

namespace tidemill::testing::simulation {

using namespace engine;

namespace {

std::string text_of(ParcelId id) {
  return std::to_string(id.epoch) + "-" + std::to_string(id.number);
}

template <class Task>
std::string text_of_ids(const std::vector<Task>& tasks) {
  std::string text = ":";
  for (const Task& task : tasks) text += " " + std::to_string(task.id);
  return text;
}

std::string name_of_task(TaskId id) { return "task " + std::to_string(id); }

// In flight for one place, if all tasks were as short as the shortest.
std::size_t most_parcels_a_place(const std::vector<PlannedTask>& tasks) {
  const auto shortest = std::ranges::min_element(tasks, {}, &PlannedTask::takes);
  ParcelSize size({.work = kParcelWork, .most = kParcelTasks});
  if (shortest != tasks.end()) size.note(shortest->takes);
  return size.parcels_a_place();
}

}  // namespace

// After other faults the fleet may have parcels that the dispatcher does not count any more, and
// the roster may have workers that are gone.
SimulationTruth::SimulationTruth(Parts parts) : parts_(std::move(parts)), plan_(parts_.plan) {
  std::size_t places = 0;
  for (const PlannedHost& host : plan_.hosts) places += host.places;
  const std::size_t wanted = most_parcels_a_place(plan_.tasks) * places;
  window_ = plan_.keeps_window ? std::clamp<std::size_t>(wanted, 2, kWindow) : 4 * kWindow;
}

void SimulationTruth::break_promise(const std::string& promise) {
  if (violation_.empty()) violation_ = promise;
}

TaskRecord SimulationTruth::record(TaskId id) const {
  return parts_.journal.task(id).value().value_or(TaskRecord{});
}

void SimulationTruth::check_epoch(FleetEpoch by, const char* call) {
  if (by != newest_) break_promise(std::string("an earlier epoch had an effect: ") + call);
}

void SimulationTruth::check_sizes() {
  const MemoryFleet::Sizes sizes = parts_.server.sizes();
  const std::size_t in_flight = sizes.parcels + sizes.reports;
  if (in_flight > window_) {
    break_promise("the fleet had " + std::to_string(in_flight) + " parcels and reports");
  }
}

void SimulationTruth::opened(FleetEpoch epoch) {
  newest_ = epoch;
  say("opened " + std::to_string(epoch));
}

void SimulationTruth::sent(const FleetParcel& parcel) {
  check_epoch(parcel.id.epoch, "send");
  const auto [known, is_new] = sent_.try_emplace(parcel.id, parcel.tasks);
  if (!is_new && known->second != parcel.tasks) {
    break_promise("a parcel id was used twice: " + text_of(parcel.id));
  }
  if (parcel.id.epoch > recorded_) break_promise("sent before the journal knew the epoch");
  const bool has_suspect =
      std::ranges::any_of(parcel.tasks, [](const FleetTask& task) { return task.crashes > 0; });
  if (has_suspect && parcel.tasks.size() > 1) break_promise("a suspect was sent with others");
  say("sent " + text_of(parcel.id) + text_of_ids(parcel.tasks));
  check_sizes();
}

void SimulationTruth::taken_back(FleetEpoch by, const FleetParcel& parcel) {
  check_epoch(by, "take_back");
  say("taken back " + text_of(parcel.id) + " from " + parcel.holder);
  if (plan_.takes_nothing_back) break_promise("a parcel was taken from a worker that lives");
}

void SimulationTruth::recalled(FleetEpoch by, const FleetParcel& parcel) {
  check_epoch(by, "recall");
  say("recalled " + text_of(parcel.id));
  if (!parcel.holder.empty()) break_promise("a parcel was recalled from its holder");
}

// What is drained must be in the journal: the report is the last that the fleet knows of it.
void SimulationTruth::drained(FleetEpoch by, const ParcelReport& report) {
  check_epoch(by, "drain");
  say("drained " + text_of(report.parcel));
  for (const TaskReport& task : report.tasks) {
    const TaskRecord known = record(task.id);
    if (known.state != TaskState::pending) continue;
    const bool is_final = task.end == TaskEnd::done || task.end == TaskEnd::skipped;
    const bool is_attempt = task.end == TaskEnd::failed && task.failure.cure != Cure::later;
    const bool is_crash = task.end == TaskEnd::crashed;
    // Else it is about an earlier try, whose end is in the journal.
    const bool is_current = known.attempts < task.attempt && known.crashes <= task.crashes;
    const bool is_lost = is_final || (is_current && (is_attempt || is_crash));
    if (is_lost && plan_.drains_what_it_read)
      break_promise("drained before the journal had it: " + name_of_task(task.id));
  }
}

void SimulationTruth::given(const FleetParcel& parcel, const ParcelReport& report) {
  say(report.worker + " gave " + text_of(report.parcel) + text_of_ids(report.tasks));
  if (parcel.holder != report.worker) {
    break_promise(report.worker + " gave parcel " + text_of(report.parcel) + ", held by '" +
                  parcel.holder + "'");
  }
}

void SimulationTruth::confirmed(const WorkerCard& card) {
  confirmed_.insert_or_assign(card.name, parts_.clock.now());
}

void SimulationTruth::starts(const std::string& worker, const FleetTask& task,
                             const std::set<TaskId>& beside) {
  ++executions_;
  if (task.payload != payload_of(task.id))
    break_promise(name_of_task(task.id) + ": not its payload");
  const TaskRecord known = record(task.id);
  if (known.state == TaskState::pending && known.attempts < task.attempt - 1) {
    break_promise(name_of_task(task.id) + ": an attempt started before the journal had the last");
  }
  if (plan_.keeps_not_before && known.attempts == task.attempt - 1 &&
      parts_.clock.wall() < known.not_before) {
    break_promise(name_of_task(task.id) + " was retried before its time");
  }
  const auto contact = confirmed_.find(worker);
  if (contact == confirmed_.end() || parts_.clock.now() - contact->second > kTerm * 8 / 10) {
    break_promise(worker + " started a task without contact");
  }
  const bool has_suspect =
      std::ranges::any_of(beside, [&](TaskId other) { return record(other).crashes > 0; });
  if (plan_.keeps_suspects_alone && !beside.empty() && (has_suspect || known.crashes > 0)) {
    break_promise("a suspect ran beside another task in " + worker);
  }
}

std::string SimulationTruth::ends(const FleetTask& task, TaskEnd end, const Failure& failure) {
  const Try key{task.id, task.attempt, task.crashes};
  if (end == TaskEnd::failed && failure.cure == Cure::later) return {};
  if (++completed_[key] > 1) ++repeated_;
  if (repeated_ > 0 && plan_.repeats_nothing) {
    break_promise(name_of_task(task.id) + " was done again without a reason");
  }
  if (repeated_ > allowed_ && plan_.repeats_are_bounded) {
    break_promise("more work was repeated than the faults explain");
  }
  if (end == TaskEnd::failed) failed_.insert(key);
  if (end != TaskEnd::done) return {};
  std::string result = name_of_task(task.id) + ", execution " + std::to_string(executions_) + "." +
                       std::to_string(completed_[key]);
  results_.insert(result);
  return result;
}

void SimulationTruth::crashed(TaskId running) { ++crashes_[running]; }

// An open() of a dispatcher that died may come late, and low. It is harmless: nobody uses it.
void SimulationTruth::records(FleetEpoch epoch) {
  if (epoch <= recorded_) break_promise("the epochs of a run went back");
  recorded_ = epoch;
}

void SimulationTruth::commits(const Entry& entry, bool is_owner) {
  if (!is_owner) break_promise("a process that does not own the journal committed to it");
  std::visit([&](const auto& e) { commits_entry(e); }, entry);
}

void SimulationTruth::commits_entry(const Attempted& entry) {
  const TaskRecord known = record(entry.id);
  if (known.state != TaskState::pending || entry.attempt <= known.attempts) {
    return break_promise(name_of_task(entry.id) + ": an attempt was counted twice");
  }
  const bool has_failed = std::ranges::any_of(failed_, [&](const Try& failed) {
    return std::get<0>(failed) == entry.id && std::get<1>(failed) == entry.attempt;
  });
  if (!has_failed) break_promise(name_of_task(entry.id) + ": an attempt that never failed");
}

void SimulationTruth::commits_entry(const Crashed& entry) {
  if (record(entry.id).crashes >= crashes_[entry.id]) {
    break_promise(name_of_task(entry.id) + " was blamed for a crash that it did not see");
  }
}

void SimulationTruth::commits_entry(const Done& entry) {
  if (!results_.contains(entry.result)) {
    break_promise(name_of_task(entry.id) + ": a result that no execution had");
  }
  if (record(entry.id).state == TaskState::pending) {
    first_result_.try_emplace(entry.id, entry.result);
  }
}

void SimulationTruth::commits_entry(const Died& entry) {
  const TaskRecord known = record(entry.id);
  if (known.state != TaskState::pending) {
    break_promise(name_of_task(entry.id) + " died after its end");
  }
}

void SimulationTruth::finish() {
  const Tally tally = parts_.journal.tally().value();
  if (tally.pending() != 0 || tally.found() != plan_.tasks.size()) {
    break_promise("the run ended with " + std::to_string(tally.pending()) + " pending tasks");
  }
  for (const PlannedTask& task : plan_.tasks) check_end(task, record(task.id));
}

void SimulationTruth::check_end(const PlannedTask& task, const TaskRecord& record) {
  const std::string name = name_of_task(task.id);
  if (record.state == TaskState::dead && record.crashes >= kMostCrashes) {
    if (crashes_[task.id] < kMostCrashes) break_promise(name + " died of crashes it did not see");
    return;
  }
  TaskState expected = TaskState::done;
  int attempts = 1;
  switch (task.behaviour) {
    case Behaviour::succeeds:
    case Behaviour::puts_off:
      break;
    case Behaviour::succeeds_later:
      attempts = task.failures + 1;
      break;
    case Behaviour::always_fails:
      expected = TaskState::dead;
      attempts = kMostAttempts;
      break;
    case Behaviour::fails_for_good:
      expected = TaskState::dead;
      break;
    case Behaviour::is_skipped:
      expected = TaskState::skipped;
      attempts = 0;
      break;
    case Behaviour::crashes:
      return break_promise(name + " must die of its crashes");
  }
  if (record.state != expected) {
    return break_promise(name + " ended as " + std::string(engine::name_of(record.state)));
  }
  if (record.attempts != attempts) {
    break_promise(name + " ended after " + std::to_string(record.attempts) + " attempts, not " +
                  std::to_string(attempts));
  }
  if (expected == TaskState::done && record.outcome != first_result_[task.id]) {
    break_promise(name + ": a later result replaced the first");
  }
}

}  // namespace tidemill::testing::simulation
