// Clock: the only way this project learns what time it is, so that a test can move time by hand.
//
// Waiting goes through the clock too: a thread that sleeps until an instant must wake when a test
// moves the fake clock past it. Leases, timeouts and backoff use now(); wall() is for people and
// for what is stored, and may jump.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tidemill {

using Instant = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  [[nodiscard]] virtual Instant now() const = 0;    // never goes back
  [[nodiscard]] virtual WallTime wall() const = 0;  // may jump

  // Sleeps until `changed` is notified or `until` has come; may also wake for no reason.
  virtual void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                          Instant until) const = 0;
};

// The machine's own clock. Immutable: every caller may share one.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] WallTime wall() const override { return std::chrono::system_clock::now(); }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    changed.wait_until(lock, until);
  }
};

}  // namespace tidemill
