// Clock: the source of time. It is passed in, so that tests can control it.
//
// Waiting goes through the clock too: a thread that sleeps until an instant must wake when a test
// moves the fake clock past it. Leases, timeouts and backoff use now(); wall() is for display
// and storage, and may jump.
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

  // Sleeps until `changed` is notified or `until` is reached; may wake spuriously.
  virtual void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                          Instant until) const = 0;
};

// The system's clock. Immutable: all callers may share one.
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
