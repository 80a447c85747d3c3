// Waitlist: the tasks that wait for a point in time: the delay of a retry, or a deferral.
//
// A timer heap. It has no clock: add() takes the instant, take_due() takes `now`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

// One thread: the owner locks it.
class Waitlist {
 public:
  void add(Instant due, Task&& task) {
    heap_.push_back({due, arrivals_++, std::move(task)});
    std::ranges::push_heap(heap_, Later{});
  }

  // The earliest due task; tasks with the same instant in the order in which they were added.
  [[nodiscard]] std::optional<Task> take_due(Instant now) {
    if (heap_.empty() || heap_.front().due > now) return std::nullopt;
    std::ranges::pop_heap(heap_, Later{});
    Task task = std::move(heap_.back().task);
    heap_.pop_back();
    return task;
  }

  [[nodiscard]] std::optional<Instant> next_due() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().due;
  }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }

 private:
  struct Entry {
    Instant due;
    std::uint64_t arrival;
    Task task;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return std::pair(a.due, a.arrival) > std::pair(b.due, b.arrival);
    }
  };

  std::vector<Entry> heap_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace tidemill::engine
