// Gauge: a number that one thread at a time writes and any thread may read, without a lock.
//
// The writer is a thread of its own, or whoever holds a certain lock; so adding is a plain load and
// store, no read-modify-write. A reader may be a moment late, never wrong.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidemill::engine {

template <class Number = std::uint64_t>
class Gauge {
 public:
  void set(Number number) { number_.store(number, std::memory_order_relaxed); }
  void add(Number number) { set(static_cast<Number>(value() + number)); }
  void subtract(Number number) { set(static_cast<Number>(value() - number)); }
  [[nodiscard]] Number value() const { return number_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> number_{};
};

}  // namespace tidemill::engine
