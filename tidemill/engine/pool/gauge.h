// Gauge: a number that one thread at a time writes, and that any thread may read without a lock.
//
// The writer is one fixed thread, or the holder of a certain lock; so adding is a plain load and
// store, not a read-modify-write. A reader may get a slightly old value, never a wrong one.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidemill::engine {

// One writer at a time, any number of readers.
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
