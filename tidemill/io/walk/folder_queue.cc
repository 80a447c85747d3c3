#include "tidemill/io/walk/folder_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemill::walk {
namespace {

constexpr std::size_t kMostTaken = 32;

using List = std::vector<PendingFolder>;

void move_over(List& from, List::iterator first, List::iterator last, List& to) {
  to.insert(to.end(), std::move_iterator(first), std::move_iterator(last));
  from.erase(first, last);
}

}  // namespace

std::shared_ptr<const OpenParents::Parent> OpenParents::keep(Descriptor folder) {
  if (open_.fetch_add(1, std::memory_order_relaxed) >= most_) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  return std::make_shared<const Parent>(*this, std::move(folder));
}

bool FolderQueue::take(List& list) {
  {
    auto state = state_.lock();
    ++state->waiting;
    if (state->list.empty()) is_hungry_.store(true, std::memory_order_relaxed);
    state.wait([&](const State& now) { return !now.list.empty() || is_over(now); });
    if (!is_over(*state)) {
      --state->waiting;
      const std::size_t fair = state->list.size() / (2 * state->workers);
      const auto count = static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(fair, 1, kMostTaken));
      move_over(state->list, state->list.end() - count, state->list.end(), list);
      is_hungry_.store(state->list.empty() && state->waiting > 0, std::memory_order_relaxed);
      return true;
    }
  }
  state_.update([](State&) {});  // wakes the other workers: the sweep is over
  return false;
}

void FolderQueue::share(List& list) {
  const auto half = static_cast<std::ptrdiff_t>(list.size() / 2);
  state_.update([&](State& state) {
    move_over(list, list.begin(), list.begin() + half, state.list);
    if (!state.list.empty()) is_hungry_.store(false, std::memory_order_relaxed);
  });
}

void FolderQueue::start(const List& roots) {
  state_.update([&](State& state) { state.list.assign(roots.rbegin(), roots.rend()); });
}

void FolderQueue::end() {
  state_.update([&](State&) { is_ended_.store(true, std::memory_order_relaxed); });
}

void FolderQueue::drop_worker() {
  state_.update([](State& state) { --state.workers; });
}

void FolderQueue::let_go_of_parents() {
  std::vector<std::shared_ptr<const OpenParents::Parent>> parents;  // closed after the unlock
  const auto state = state_.lock();
  for (PendingFolder& folder : state->list) {
    if (folder.parent) parents.push_back(std::move(folder.parent));
  }
}

}  // namespace tidemill::walk
