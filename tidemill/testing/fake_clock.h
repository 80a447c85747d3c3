// FakeClock: a clock that moves only when the test advances it.
#pragma once

#include <atomic>
#include <chrono>

#include "tidemill/base/clock.h"

namespace tidemill::testing {

// Thread-safe. A thread that waits on it wakes about every millisecond of real time and checks
// again: this needs no list of waiters, and an advance is seen soon enough for any test.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return Instant(Instant::duration(now_.load())); }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(now().time_since_epoch()));
  }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    awaited_ = until.time_since_epoch().count();
    if (now() < until) changed.wait_for(lock, std::chrono::milliseconds(1));
  }

  void advance(Instant::duration by) { now_ += by.count(); }

  // The deadline of the thread that started to wait last. What it did before the wait is done.
  [[nodiscard]] Instant awaited() const { return Instant(Instant::duration(awaited_.load())); }

 private:
  // Far from zero, so that "long ago" can be written as a subtraction.
  std::atomic<Instant::rep> now_ = Instant::duration(std::chrono::hours(1000)).count();
  mutable std::atomic<Instant::rep> awaited_ = 0;
};

}  // namespace tidemill::testing
