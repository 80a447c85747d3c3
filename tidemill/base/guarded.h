// Guarded<T>: a T that can only be reached while its mutex is held.
//
// State shared by threads is a Guarded<State>, an atomic, or part of one of the three hot
// structures that have their own mutexes: engine/pool/dispatch.h, engine/channel.h and
// engine/conveyor.h. All other state belongs to one thread or never changes.
//
// Waiting uses a plain condition variable. To end a wait from a stop_token, register a
// std::stop_callback that calls update(): waiting on the token itself costs two to three times as
// much. The callback must be created and destroyed while the lock is NOT held.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "tidemill/base/clock.h"

namespace tidemill {

// Thread-safe.
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  class Lock {
   public:
    T& operator*() const { return owner_->value_; }
    T* operator->() const { return &owner_->value_; }

    // Sleeps until `ready(value)` holds.
    template <class Ready>
    void wait(Ready ready) {
      owner_->changed_.wait(lock_, [&] { return ready(owner_->value_); });
    }

    // Sleeps until `ready(value)` holds or `until` is reached; returns whether it holds.
    template <class Ready>
    [[nodiscard]] bool wait_until(const Clock& clock, Instant until, Ready ready) {
      while (!ready(owner_->value_)) {
        if (clock.now() >= until) return false;
        clock.wait_until(lock_, owner_->changed_, until);
      }
      return true;
    }

   private:
    friend Guarded;
    explicit Lock(Guarded& owner) : owner_(&owner), lock_(owner.mutex_) {}
    Lock(Guarded& owner, std::try_to_lock_t)
        : owner_(&owner), lock_(owner.mutex_, std::try_to_lock) {}
    Guarded* owner_;
    std::unique_lock<std::mutex> lock_;
  };

  [[nodiscard]] Lock lock() { return Lock(*this); }

  // nullopt if another thread holds the lock: for readers and writers that must not wait.
  [[nodiscard]] std::optional<Lock> try_lock() {
    Lock lock(*this, std::try_to_lock);
    if (!lock.lock_.owns_lock()) return std::nullopt;
    return lock;
  }

  // Changes the value under the lock, then wakes every waiter.
  template <class Change>
  decltype(auto) update(Change change) {
    const std::scoped_lock held(mutex_);
    struct Wake {
      std::condition_variable& changed;
      ~Wake() { changed.notify_all(); }
    } const wake{changed_};  // under the lock: a waiter may destroy this object as soon as it sees
                             // the change
    return change(value_);
  }

 private:
  T value_{};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace tidemill
