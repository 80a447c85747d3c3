#include "tidemill/engine/pool/backlog.h"

#include <bit>
#include <cassert>

namespace tidemill::engine {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

Backlog::Backlog(Order order, unsigned ageing) : order_(order), ageing_(ageing) { make_slots(); }

void Backlog::put(Task&& task) {
  const std::uint32_t at = slab_.take_first(porch_.free);
  const auto level = static_cast<std::size_t>(task.traits.priority);
  if (order_ == Order::smallest_first) weights_[at] = task.traits.weight;
  slab_.fill(at, std::move(task));
  slab_.append(porch_.lists[level], at);
  porch_.filled |= 1U << level;
  ++porch_.count;
  if (porch_filled_.load(kRelaxed) != porch_.filled) porch_filled_.store(porch_.filled, kRelaxed);
}

void Backlog::make_slots() {
  slab_.join(porch_.free, inside_.free);
  if (porch_.free.empty()) {
    SlotList fresh = slab_.grow();
    slab_.join(porch_.free, fresh);
    if (order_ == Order::smallest_first) weights_.resize(slab_.size());
  }
}

void Backlog::take_in() {
  slab_.join(porch_.free, inside_.free);
  inside_.starts = 0;
  if (porch_.count == 0) return;
  for (std::size_t level = 0; level < kPriorities; ++level) {
    slab_.join(inside_.lists[level], porch_.lists[level]);
    if (order_ == Order::smallest_first) weigh(level);
  }
  inside_.filled |= std::exchange(porch_.filled, 0U);
  inside_.count += std::exchange(porch_.count, 0U);
  porch_filled_.store(0, kRelaxed);
}

bool Backlog::should_take_in() const {
  const unsigned porch = porch_filled_.load(kRelaxed);
  if (porch == 0) return false;
  const bool is_higher = std::countr_zero(porch) < std::countr_zero(inside_.filled);
  return is_higher || order_ == Order::smallest_first || inside_.starts >= kLookOutEvery;
}

// What came in as a list becomes part of the order by weight.
void Backlog::weigh(std::size_t level) {
  SlotList& list = inside_.lists[level];
  while (!list.empty()) {
    const std::uint32_t at = slab_.take_first(list);
    const std::uint64_t arrival = arrivals_++;
    weighed_[level].by_weight.insert({{weights_[at], arrival}, at});
    weighed_[level].by_arrival.insert({{arrival, weights_[at]}, at});
  }
}

Task Backlog::pop() {
  assert(inside_.count > 0);
  const std::size_t level = next_level();
  const bool by_weight = order_ == Order::smallest_first;
  const std::uint32_t at =
      by_weight ? take_weighed(weighed_[level]) : slab_.take_first(inside_.lists[level]);
  if (by_weight ? weighed_[level].by_weight.empty() : inside_.lists[level].empty()) {
    inside_.filled &= ~(1U << level);
    inside_.passed_over[level] = 0;
  }
  --inside_.count;
  ++inside_.starts;

  Task task = slab_.empty(at);
  task.traits.priority = static_cast<Priority>(level);
  if (by_weight) task.traits.weight = weights_[at];
  slab_.append(inside_.free, at);
  return task;
}

// The highest list that is not empty, unless a lower one has been passed over often enough.
std::size_t Backlog::next_level() {
  const auto top = static_cast<std::size_t>(std::countr_zero(inside_.filled));
  std::size_t chosen = top;
  for (unsigned below = inside_.filled & (inside_.filled - 1); below != 0; below &= below - 1) {
    const auto level = static_cast<std::size_t>(std::countr_zero(below));
    if (chosen == top && inside_.passed_over[level] >= ageing_) {
      chosen = level;
    } else {
      ++inside_.passed_over[level];
    }
  }
  inside_.passed_over[chosen] = 0;
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
