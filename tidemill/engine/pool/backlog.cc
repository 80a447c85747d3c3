#include "tidemill/engine/pool/backlog.h"

#include <bit>
#include <cassert>

namespace tidemill::engine {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

Backlog::Backlog(TaskOrder order, unsigned ageing) : order_(order), ageing_(ageing) {
  make_slots();
}

void Backlog::put(Task&& task) {
  const std::uint32_t at = slab_.take_first(inbox_.free);
  const auto level = static_cast<std::size_t>(task.traits.priority);
  if (order_ == TaskOrder::smallest_first) weights_[at] = task.traits.weight;
  slab_.fill(at, std::move(task));
  slab_.append(inbox_.lists[level], at);
  inbox_.filled |= 1U << level;
  ++inbox_.count;
  if (inbox_filled_.load(kRelaxed) != inbox_.filled) inbox_filled_.store(inbox_.filled, kRelaxed);
}

void Backlog::make_slots() {
  slab_.join(inbox_.free, ready_.free);
  if (inbox_.free.empty()) {
    SlotList fresh = slab_.grow();
    slab_.join(inbox_.free, fresh);
    if (order_ == TaskOrder::smallest_first) weights_.resize(slab_.size());
  }
}

void Backlog::drain_inbox() {
  slab_.join(inbox_.free, ready_.free);
  ready_.starts = 0;
  if (inbox_.count == 0) return;
  for (std::size_t level = 0; level < kPriorities; ++level) {
    slab_.join(ready_.lists[level], inbox_.lists[level]);
    if (order_ == TaskOrder::smallest_first) weigh(level);
  }
  ready_.filled |= std::exchange(inbox_.filled, 0U);
  ready_.count += std::exchange(inbox_.count, 0U);
  inbox_filled_.store(0, kRelaxed);
}

bool Backlog::should_drain_inbox() const {
  const unsigned inbox = inbox_filled_.load(kRelaxed);
  if (inbox == 0) return false;
  const bool is_higher = std::countr_zero(inbox) < std::countr_zero(ready_.filled);
  return is_higher || order_ == TaskOrder::smallest_first || ready_.starts >= kInboxCheckEvery;
}

// Moves the tasks of a list into the order by weight.
void Backlog::weigh(std::size_t level) {
  SlotList& list = ready_.lists[level];
  while (!list.empty()) {
    const std::uint32_t at = slab_.take_first(list);
    const std::uint64_t arrival = arrivals_++;
    weighed_[level].by_weight.insert({{weights_[at], arrival}, at});
    weighed_[level].by_arrival.insert({{arrival, weights_[at]}, at});
  }
}

Task Backlog::pop() {
  assert(ready_.count > 0);
  const std::size_t level = next_level();
  const bool by_weight = order_ == TaskOrder::smallest_first;
  const std::uint32_t at =
      by_weight ? take_weighed(weighed_[level]) : slab_.take_first(ready_.lists[level]);
  if (by_weight ? weighed_[level].by_weight.empty() : ready_.lists[level].empty()) {
    ready_.filled &= ~(1U << level);
    ready_.passed_over[level] = 0;
  }
  --ready_.count;
  ++ready_.starts;

  Task task = slab_.empty(at);
  task.traits.priority = static_cast<Priority>(level);
  if (by_weight) task.traits.weight = weights_[at];
  slab_.append(ready_.free, at);
  return task;
}

// The highest list that is not empty, unless a lower one was skipped `ageing` times.
std::size_t Backlog::next_level() {
  const auto top = static_cast<std::size_t>(std::countr_zero(ready_.filled));
  std::size_t chosen = top;
  for (unsigned below = ready_.filled & (ready_.filled - 1); below != 0; below &= below - 1) {
    const auto level = static_cast<std::size_t>(std::countr_zero(below));
    if (chosen == top && ready_.passed_over[level] >= ageing_) {
      chosen = level;
    } else {
      ++ready_.passed_over[level];
    }
  }
  ready_.passed_over[chosen] = 0;
  return chosen;
}

std::uint32_t Backlog::take_weighed(Weighed& weighed) const {
  const bool takes_oldest = weighed.lightest_in_a_row >= ageing_;
  weighed.lightest_in_a_row = takes_oldest ? 0 : weighed.lightest_in_a_row + 1;
  auto& first_from = takes_oldest ? weighed.by_arrival : weighed.by_weight;
  auto& also_from = takes_oldest ? weighed.by_weight : weighed.by_arrival;
  const auto [key, at] = *first_from.begin();
  first_from.erase(first_from.begin());
  also_from.erase({{key.second, key.first}, at});
  return at;
}

}  // namespace tidemill::engine
