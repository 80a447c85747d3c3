#include "tidemill/jobs/dupes/act/step_worker.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "tidemill/io/walk/system_failure.h"

namespace tidemill::dupes {

using command::ItemState;
using engine::Died;
using engine::Done;
using engine::Revived;
using engine::Skipped;
using engine::TaskId;

void StepWorker::work(TaskId id, PlanStep step) {
  if (sync_failure_) return;
  if (!held_.empty() && clock_.now() - since_ >= kLongest) clear();
  std::string duplicate = step.duplicate.path;
  auto pair = begin(tools_, step, id);
  if (!pair && is_out_of_files(pair.error())) {  // settling the held pairs frees descriptors
    clear();
    if (sync_failure_) return;
    tools_.places.forget();
    pair = begin(tools_, std::move(step), id);
  }
  if (!pair) return record(id, std::move(duplicate), pair.error());
  const bool must_not_wait = !pair->duplicate.is_leased();
  if (held_.empty()) since_ = clock_.now();
  held_.push_back({.id = id, .pair = *std::move(pair)});
  if (must_not_wait) clear();
}

void StepWorker::clear() {
  std::vector<HeldPair> held = std::exchange(held_, {});
  if (held.empty()) return;
  if (!sync_all(held)) return put_all_back(held);
  std::vector<std::pair<TaskId, PlanStep>> done;
  for (HeldPair& each : held) {
    if (auto step = settle(tools_, each.pair)) {
      done.emplace_back(each.id, *std::move(step));
    } else {
      record(each.id, each.pair.step.duplicate.path, step.error());
    }
  }
  if (!sync_all(held)) return;
  for (const auto& [id, step] : done) record(id, step);
}

// The names must not be missing until the run is resumed. A pair that cannot be rolled back now is
// recovered then.
void StepWorker::put_all_back(std::vector<HeldPair>& held) {
  const std::string why = sync_failure_ ? text_of(*sync_failure_) : std::string();
  for (HeldPair& each : held) (void)give_up(each.pair, Refusal{.reason = why});
}

bool StepWorker::sync_all(const std::vector<HeldPair>& held) {
  std::unordered_set<int> synced;
  for (const HeldPair& each : held) {
    for (const OpenFolder& folder : folders_of(each.pair)) {
      if (!synced.insert(folder->number()).second) continue;
      const int error = sync_folder(folder->number());
      if (error == 0) continue;
      sync_failure_ =
          walk::failure_of(error, "sync", "the folder of " + each.pair.step.duplicate.path);
      return false;
    }
  }
  return true;
}

std::vector<engine::Entry> StepWorker::take_entries() { return std::exchange(entries_, {}); }

void StepWorker::record(TaskId id, std::string duplicate, const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::declined:
      entries_.emplace_back(Skipped{.id = id, .reason = refusal.reason});
      break;
    case Refusal::Kind::failed:
      entries_.emplace_back(Died{
          .id = id, .failure = {.step = "act", .reason = refusal.reason}, .at = clock_.wall()});
      break;
    case Refusal::Kind::stopped:
      return;
  }
  if (console_ == nullptr || !console_->wants_items()) return;
  const bool is_failure = refusal.kind == Refusal::Kind::failed;
  console_->settled({.name = std::move(duplicate),
                     .state = is_failure ? ItemState::failed : ItemState::bad,
                     .details = {refusal.reason}});
}

void StepWorker::revive(TaskId id) { entries_.emplace_back(Revived{.id = id}); }

void StepWorker::record(TaskId id, const PlanStep& step) {
  entries_.emplace_back(Done{.id = id, .result = packed(step)});
  reclaimed_ += step.reclaimable;
  if (console_ == nullptr || !console_->wants_items()) return;
  console_->settled(
      {.name = step.duplicate.path, .details = {std::string(type_of(step.action)) + aim_of(step)}});
}

}  // namespace tidemill::dupes
