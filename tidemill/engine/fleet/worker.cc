#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/fleet_worker.h"

namespace tidemill::engine {
namespace {

TaskReport report_of(const FleetTask& task, TaskEnd end) {
  return {.id = task.id, .attempt = task.attempt, .crashes = task.crashes, .end = end};
}

bool is_suspect(const FleetTask& task) { return task.crashes > 0; }

bool is_finished(const ParcelInHand& parcel) {
  return parcel.ended.size() >= parcel.parcel.tasks.size();
}

}  // namespace

std::vector<TaskReport> last_report(const ParcelInHand& in_hand) {
  std::vector<TaskReport> reports = in_hand.ended;
  for (const FleetTask& task : in_hand.parcel.tasks) {
    const bool has_ended = std::ranges::any_of(
        in_hand.ended, [&](const TaskReport& report) { return report.id == task.id; });
    if (has_ended) continue;
    const bool was_running = in_hand.running.contains(task.id);
    reports.push_back(report_of(task, was_running ? TaskEnd::crashed : TaskEnd::returned));
  }
  return reports;
}

FleetWorker::FleetWorker(FleetWorkerOptions options, FleetMember& member)
    : options_(std::move(options)), member_(member) {}

template <class T>
Result<bool> FleetWorker::heard(const Result<T>& answer) {
  if (answer) return true;
  if (is_unknown(answer.error())) {
    ++counts_.unknown_answers;
    return false;
  }
  if (!is_forgotten(answer.error())) return std::unexpected(answer.error());
  lose_all();
  return false;
}

Result<void> FleetWorker::step(Instant now) {
  TRY(give_finished());
  TRY(find_delivered());
  TRY(confirm(now));
  return receive(now);
}

Result<void> FleetWorker::give_finished() {
  std::vector<ParcelId> finished;
  for (const auto& [id, in_hand] : parcels_) {
    if (is_finished(in_hand)) finished.push_back(id);
  }
  for (const ParcelId id : finished) {
    const auto found = parcels_.find(id);
    if (found == parcels_.end()) continue;  // forgotten meanwhile
    const auto given = member_.give(id, found->second.ended);
    LET(const bool is_heard, heard(given));
    if (!is_heard) continue;
    ++(*given ? counts_.given : counts_.refused);
    parcels_.erase(id);
  }
  return {};
}

// After a lost answer this name may hold parcels that never arrived here.
Result<void> FleetWorker::find_delivered() {
  if (!is_in_doubt_) return {};
  auto held = member_.held();
  LET(const bool is_heard, heard(held));
  if (!is_heard) return {};
  is_in_doubt_ = false;
  take_in(*std::move(held));
  return {};
}

Result<void> FleetWorker::confirm(Instant now) {
  if (now < next_confirm_) return {};
  std::vector<ParcelId> ids;
  for (const auto& [id, in_hand] : parcels_) ids.push_back(id);
  WorkerCard card{.name = options_.name, .host = options_.host, .places = options_.places};
  for (const auto& [task, parcel] : running_) card.running.push_back(task);
  const auto ours = member_.confirm(card, ids);
  LET(const bool is_heard, heard(ours));
  if (!is_heard) return {};
  for (const ParcelId id : ids) {
    if (std::ranges::find(*ours, id) == ours->end()) lose(id);
  }
  if (std::ranges::any_of(*ours, [&](ParcelId id) { return !parcels_.contains(id); })) {
    is_in_doubt_ = true;
  }
  confirmed_at_ = now;
  next_confirm_ = now + options_.term / 3;
  return {};
}

Result<void> FleetWorker::receive(Instant now) {
  const std::size_t limit = wanted();
  if (limit == 0 || now < next_receive_) return {};
  auto received = member_.receive(limit);
  if (!received && is_unknown(received.error())) is_in_doubt_ = true;
  LET(const bool is_heard, heard(received));
  if (!is_heard || received->empty()) next_receive_ = now + options_.poll;
  if (is_heard) take_in(*std::move(received));
  return {};
}

// Parcels to ask for: so many that the places have work until the next step.
std::size_t FleetWorker::wanted() const {
  if (is_handing_back_ || is_in_doubt_ || runs_a_suspect_) return 0;
  if (waiting_.size() >= options_.places) return 0;
  if (std::ranges::any_of(waiting_, [](const Waiting& w) { return is_suspect(w.task); })) return 0;
  const std::size_t tasks = 2 * std::size_t{options_.places} - waiting_.size();
  return (tasks + last_size_ - 1) / last_size_;
}

void FleetWorker::take_in(std::vector<FleetParcel> parcels) {
  for (FleetParcel& parcel : parcels) {
    const ParcelId id = parcel.id;
    if (parcels_.contains(id)) continue;
    ++counts_.received;
    last_size_ = std::max<std::size_t>(parcel.tasks.size(), 1);
    for (const FleetTask& task : parcel.tasks) waiting_.push_back({.parcel = id, .task = task});
    parcels_.emplace(id, ParcelInHand{.parcel = std::move(parcel)});
  }
  if (is_handing_back_) hand_back();
}

bool FleetWorker::has_suspect() const {
  return runs_a_suspect_ || std::ranges::any_of(waiting_, [](const Waiting& waiting) {
           return is_suspect(waiting.task);
         });
}

std::optional<FleetTask> FleetWorker::start(Instant now) {
  if (is_handing_back_ || running_.size() >= options_.places || runs_a_suspect_) return {};
  if (!confirmed_at_ || now - *confirmed_at_ > options_.term * 8 / 10) return {};
  // A second copy of a running task waits for its end.
  const auto next = std::ranges::find_if(
      waiting_, [&](const Waiting& waiting) { return !running_.contains(waiting.task.id); });
  if (next == waiting_.end()) return {};
  if (is_suspect(next->task) && !running_.empty()) return {};
  Waiting starting = std::move(*next);
  waiting_.erase(next);
  runs_a_suspect_ = is_suspect(starting.task);
  running_.emplace(starting.task.id, starting.parcel);
  parcels_.at(starting.parcel).running.insert(starting.task.id);
  return std::move(starting.task);
}

void FleetWorker::end(TaskReport report) {
  const auto running = running_.find(report.id);
  if (running == running_.end()) return;
  const ParcelId id = running->second;
  ParcelInHand& in_hand = parcels_.at(id);
  in_hand.running.erase(report.id);
  running_.erase(running);
  runs_a_suspect_ = false;
  in_hand.text_bytes += Bytes{report.text.size()};
  in_hand.ended.push_back(std::move(report));
  if (in_hand.text_bytes > options_.report_bytes) return_waiting(id);
}

void FleetWorker::return_waiting(ParcelId id) {
  ParcelInHand& in_hand = parcels_.at(id);
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.parcel != id) return false;
    in_hand.ended.push_back(report_of(waiting.task, TaskEnd::returned));
    return true;
  });
}

std::vector<TaskId> FleetWorker::take_lost() { return std::exchange(lost_, {}); }

void FleetWorker::hand_back() {
  is_handing_back_ = true;
  for (const Waiting& waiting : waiting_) {
    parcels_.at(waiting.parcel).ended.push_back(report_of(waiting.task, TaskEnd::returned));
  }
  waiting_.clear();
}

void FleetWorker::lose(ParcelId id) {
  const auto found = parcels_.find(id);
  if (found == parcels_.end()) return;
  for (const TaskId task : found->second.running) {
    running_.erase(task);
    lost_.push_back(task);
    runs_a_suspect_ = false;
  }
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.parcel == id; });
  if (!found->second.running.empty() || !found->second.ended.empty()) ++counts_.refused;
  parcels_.erase(found);
  ++counts_.lost;
}

void FleetWorker::lose_all() {
  is_in_doubt_ = false;  // a fleet that does not know the run holds nothing for it
  while (!parcels_.empty()) lose(parcels_.begin()->first);
}

std::vector<ParcelInHand> FleetWorker::in_hand() const {
  std::vector<ParcelInHand> all;
  for (const auto& [id, in_hand] : parcels_) all.push_back(in_hand);
  return all;
}

}  // namespace tidemill::engine
