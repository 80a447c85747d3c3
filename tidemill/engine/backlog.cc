#include "tidemill/engine/backlog.h"

#include <bit>
#include <cassert>

namespace tidemill::engine {

void Backlog::push(Task&& task) {
  const std::uint32_t at = free_slot();
  Block& home = block(at);
  const std::size_t i = at % kSlotsInBlock;
  home.slots[i].body = std::move(task.body);
  home.slots[i].id = task.traits.id;
  home.attempt[i] = task.attempt;
  home.type[i] = task.traits.type;
  const auto level = static_cast<std::size_t>(task.traits.priority);
  append(lists_[level], at, task.traits.weight);
  filled_ |= 1U << level;
  ++size_;
}

Task Backlog::pop() {
  assert(size_ > 0);
  const std::size_t level = next_level();
  List& list = lists_[level];
  const auto [at, weight] = take_from(list);
  if (list.head == kNone && list.by_arrival.empty()) {
    filled_ &= ~(1U << level);
    list.passed_over = 0;
  }
  --size_;

  Block& home = block(at);
  const std::size_t i = at % kSlotsInBlock;
  Task task;
  task.body = std::move(home.slots[i].body);
  task.traits = {.id = home.slots[i].id,
                 .type = home.type[i],
                 .priority = static_cast<Priority>(level),
                 .weight = weight};
  task.attempt = home.attempt[i];
  home.next[i] = free_;
  free_ = at;
  return task;
}

std::uint32_t Backlog::free_slot() {
  if (free_ == kNone) {
    const auto first = static_cast<std::uint32_t>(blocks_.size() * kSlotsInBlock);
    blocks_.push_back(std::make_unique<Block>());
    for (std::uint32_t i = kSlotsInBlock; i-- > 0;) {
      next(first + i) = free_;
      free_ = first + i;
    }
  }
  const std::uint32_t at = free_;
  free_ = next(at);
  return at;
}

void Backlog::append(List& list, std::uint32_t at, std::uint64_t weight) {
  if (order_ == Order::smallest_first) {
    const std::uint64_t arrival = arrivals_++;
    list.by_weight.insert({weight, arrival, at});
    list.by_arrival.insert({arrival, weight, at});
    return;
  }
  next(at) = kNone;
  if (list.head == kNone) {
    list.head = at;
  } else {
    next(list.tail) = at;
  }
  list.tail = at;
}

// The highest list that is not empty, unless a lower one has been passed over often enough.
std::size_t Backlog::next_level() {
  const auto top = static_cast<std::size_t>(std::countr_zero(filled_));
  std::size_t chosen = top;
  for (unsigned below = filled_ & (filled_ - 1); below != 0; below &= below - 1) {
    const auto level = static_cast<std::size_t>(std::countr_zero(below));
    if (chosen == top && lists_[level].passed_over >= ageing_) {
      chosen = level;
    } else {
      ++lists_[level].passed_over;
    }
  }
  lists_[chosen].passed_over = 0;
  return chosen;
}

std::pair<std::uint32_t, std::uint64_t> Backlog::take_from(List& list) {
  if (order_ == Order::first_come) {
    const std::uint32_t at = list.head;
    list.head = next(at);
    return {at, 0};
  }
  if (list.lightest_in_a_row >= ageing_) {
    list.lightest_in_a_row = 0;
    const auto oldest = *list.by_arrival.begin();
    list.by_arrival.erase(list.by_arrival.begin());
    list.by_weight.erase({oldest.weight, oldest.arrival, oldest.slot});
    return {oldest.slot, oldest.weight};
  }
  ++list.lightest_in_a_row;
  const auto lightest = *list.by_weight.begin();
  list.by_weight.erase(list.by_weight.begin());
  list.by_arrival.erase({lightest.arrival, lightest.weight, lightest.slot});
  return {lightest.slot, lightest.weight};
}

}  // namespace tidemill::engine
