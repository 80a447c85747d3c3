// SlowList: the slowest attempts of a pool, a fixed number of them.
//
// Almost every attempt is faster than the whole list, and then costs one relaxed load: `floor_` is
// the time that an attempt must exceed to be listed. Of n attempts in random order about
// 100 × ln(n / 100) are ever added.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

// Thread-safe.
class SlowList {
 public:
  static constexpr std::size_t kMost = 100;

  [[nodiscard]] bool wants(std::chrono::nanoseconds took) const {
    return took.count() > floor_.load(std::memory_order_relaxed);
  }

  void add(SlowAttempt attempt) {
    auto heap = heap_.lock();
    heap->push_back(std::move(attempt));
    std::ranges::push_heap(*heap, is_slower);
    if (heap->size() > kMost) {
      std::ranges::pop_heap(*heap, is_slower);  // the fastest
      heap->pop_back();
    }
    if (heap->size() == kMost) floor_.store(heap->front().took.count(), std::memory_order_relaxed);
  }

  // Slowest first.
  [[nodiscard]] std::vector<SlowAttempt> all() const {
    std::vector<SlowAttempt> sorted = *heap_.lock();
    std::ranges::sort(sorted, is_slower);
    return sorted;
  }

 private:
  static bool is_slower(const SlowAttempt& a, const SlowAttempt& b) { return a.took > b.took; }

  mutable Guarded<std::vector<SlowAttempt>> heap_;
  std::atomic<std::chrono::nanoseconds::rep> floor_ = -1;
};

}  // namespace tidemill::engine
