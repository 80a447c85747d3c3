#include "tidemill/jobs/dupes/act/workbench.h"

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

void Workbench::work(TaskId id, Step step) {
  if (trouble_) return;
  if (!lying_.empty() && clock_.now() - since_ >= kLongest) clear();
  std::string duplicate = step.duplicate.path;
  auto pair = begin(tools_, step, id);
  if (!pair && is_out_of_files(pair.error())) {  // what lies here has some
    clear();
    if (trouble_) return;
    tools_.places.forget();
    pair = begin(tools_, std::move(step), id);
  }
  if (!pair) return tell(id, std::move(duplicate), pair.error());
  const bool must_not_wait = !pair->duplicate.is_leased();
  if (lying_.empty()) since_ = clock_.now();
  lying_.push_back({.id = id, .pair = *std::move(pair)});
  if (must_not_wait) clear();
}

void Workbench::clear() {
  std::vector<Lying> lying = std::exchange(lying_, {});
  if (lying.empty()) return;
  if (!sync_all(lying)) return put_all_back(lying);
  std::vector<std::pair<TaskId, Step>> done;
  for (Lying& each : lying) {
    if (auto step = settle(tools_, each.pair)) {
      done.emplace_back(each.id, *std::move(step));
    } else {
      tell(each.id, each.pair.step.duplicate.path, step.error());
    }
  }
  if (!sync_all(lying)) return;
  for (const auto& [id, step] : done) tell(id, step);
}

// The names may not be missing until somebody resumes the run. What cannot go back is seen to then.
void Workbench::put_all_back(std::vector<Lying>& lying) {
  const std::string why = trouble_ ? text_of(*trouble_) : std::string();
  for (Lying& each : lying) (void)give_up(each.pair, Refusal{.reason = why});
}

bool Workbench::sync_all(const std::vector<Lying>& lying) {
  std::unordered_set<int> synced;
  for (const Lying& each : lying) {
    for (const OpenFolder& folder : folders_of(each.pair)) {
      if (!synced.insert(folder->number()).second) continue;
      const int error = sync_folder(folder->number());
      if (error == 0) continue;
      trouble_ = walk::failure_of(error, "sync", "the folder of " + each.pair.step.duplicate.path);
      return false;
    }
  }
  return true;
}

std::vector<engine::Entry> Workbench::take_news() { return std::exchange(news_, {}); }

void Workbench::tell(TaskId id, std::string duplicate, const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::declined:
      news_.emplace_back(Skipped{.id = id, .reason = refusal.reason});
      break;
    case Refusal::Kind::failed:
      news_.emplace_back(Died{
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

void Workbench::revive(TaskId id) { news_.emplace_back(Revived{.id = id}); }

void Workbench::tell(TaskId id, const Step& step) {
  news_.emplace_back(Done{.id = id, .result = packed(step)});
  won_ += step.wins;
  if (console_ == nullptr || !console_->wants_items()) return;
  console_->settled(
      {.name = step.duplicate.path, .details = {std::string(type_of(step.action)) + aim_of(step)}});
}

}  // namespace tidemill::dupes
