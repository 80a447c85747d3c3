#include "tidemill/jobs/dupes/act/undo_batch.h"

#include <map>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/act/sync_together.h"

namespace tidemill::dupes {
namespace {

const OpenFolder& folder_of_name(const Undoing& work) { return work.folder; }
// Where it was moved from; a link is in the folder of its name.
const OpenFolder& folder_of_source(const Undoing& work) { return work.source.folder; }

}  // namespace

void UndoBatch::add(Step step, engine::TaskId id) {
  if (!lying_.empty() && clock_.now() - since_ >= kLongest) clear();
  auto work = undoer_.begin(step, id);
  if (!work && is_out_of_files(work.error())) {  // what lies here has some
    clear();
    tools_.places.forget();
    work = undoer_.begin(std::move(step), id);
  }
  outcomes_.emplace_back();
  if (!work) {
    outcomes_.back() = std::unexpected(std::move(work).error());
    return;
  }
  const bool is_link = work->step.action == Action::hardlink && work->made.is_open();
  const bool must_not_wait = is_link && !work->source.is_leased();
  if (lying_.empty()) since_ = clock_.now();
  lying_.push_back({.at = outcomes_.size() - 1, .work = *std::move(work)});
  if (must_not_wait) clear();
}

std::vector<Tried<void>> UndoBatch::finish() {
  clear();
  return std::exchange(outcomes_, {});
}

void UndoBatch::clear() {
  sync_files();
  each([&](Undoing& work) { return undoer_.place(work); });
  sync_folders(Due::all);
  each([&](Undoing& work) { return undoer_.settle(work); });
  sync_folders(Due::rest);
  lying_.clear();
}

// Those that nothing was refused yet.
template <class Part>
void UndoBatch::each(Part part) {
  for (Lying& lying : lying_) {
    if (outcome(lying)) outcome(lying) = part(lying.work);
  }
}

void UndoBatch::sync_files() {
  std::vector<int> open;
  for (const Lying& lying : lying_) {
    if (lying.work.made.is_open()) open.push_back(lying.work.made.number());
  }
  const std::map<int, int> errors = sync_together(open);
  each([&](Undoing& work) -> Tried<void> {
    const int error = work.made.is_open() ? errors.at(work.made.number()) : 0;
    if (error != 0) return Undoer::give_up(work, failed("fsync", error).error());
    return {};
  });
}

// Where a file came to before where it was: so it is never in neither.
void UndoBatch::sync_folders(Due due) {
  for (const auto folder_in : {&folder_of_name, &folder_of_source}) {
    std::vector<int> open;
    const auto is_due = [&](const Undoing& work) {
      const bool is_twice = folder_in == &folder_of_source && work.folder == work.source.folder;
      return folder_in(work) && !is_twice && (due == Due::all || work.has_rest);
    };
    each([&](Undoing& work) -> Tried<void> {
      if (is_due(work)) open.push_back(folder_in(work)->number());
      return {};
    });
    const std::map<int, int> errors = sync_together(open);
    each([&](Undoing& work) -> Tried<void> {
      const int error = is_due(work) ? errors.at(folder_in(work)->number()) : 0;
      if (error != 0) return failed("sync", error);
      return {};
    });
  }
}

}  // namespace tidemill::dupes
