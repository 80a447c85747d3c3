// Channel<T>: a queue between two stages, bounded in items and in bytes.
//
// push() waits while the channel is full: this is the backpressure on the sending stage. close()
// lets receivers take the remaining items; cancel() makes both sides return at once, and returns
// how many items it dropped. Nothing else ever drops an item.
//
// An item larger than the byte bound is let in when the channel is empty, so that it can pass.
// push_all() and pop_some() move many items under one lock, which makes tiny items cheap.
//
// A sleeping sender is woken when the channel has fallen to half of both bounds or, once a sender
// has waited for a millisecond, whenever items are taken. A sleeping receiver is woken by the first
// item.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"

namespace tidemill::engine {

struct ChannelOptions {
  std::size_t items = 1'024;
  Bytes bytes = {std::numeric_limits<std::uint64_t>::max()};
};

enum class [[nodiscard]] Push : std::uint8_t {
  sent,
  full,       // try_push only
  closed,     // closed or cancelled; the item is still the caller's
  cancelled,  // the caller's own stop token fired while it waited; the item is still the caller's
};

// Thread-safe: any number of senders and receivers; one thread at a time may gather().
template <class T>
class Channel {
 public:
  struct Parcel {
    T item;
    Bytes size{};
  };

  explicit Channel(ChannelOptions options) : options_(options) {
    options_.items = std::max<std::size_t>(options_.items, 1);
  }

  Push push(T&& item, Bytes size = {sizeof(T)}, const std::stop_token& stop = {}) {
    const auto wake = waker(stop, room_);
    Lock lock(mutex_);
    if (const Push answer = wait_for_room(lock, size, stop); answer != Push::sent) return answer;
    put({std::move(item), size});
    notify_receivers(lock, 1);
    return Push::sent;
  }

  Push try_push(T&& item, Bytes size = {sizeof(T)}) {
    Lock lock(mutex_);
    if (closed_) return Push::closed;
    if (!has_room(size)) return Push::full;
    put({std::move(item), size});
    notify_receivers(lock, 1);
    return Push::sent;
  }

  // Sends from the front of `parcels` in as many portions as the bounds require. Sent items are
  // removed from it, so after any answer but `sent` the caller still has the rest.
  Push push_all(std::vector<Parcel>& parcels, const std::stop_token& stop = {}) {
    const auto wake = waker(stop, room_);
    Lock lock(mutex_);
    auto answer = Push::sent;
    std::size_t sent = 0;
    while (sent < parcels.size() && answer == Push::sent) {
      answer = wait_for_room(lock, parcels[sent].size, stop);
      if (answer != Push::sent) break;
      std::size_t portion = 0;
      do {
        put(std::move(parcels[sent]));
        ++sent;
        ++portion;
      } while (sent < parcels.size() && has_room(parcels[sent].size));
      notify_receivers(lock, portion);
      if (sent < parcels.size()) lock.lock();
    }
    if (lock.owns_lock()) lock.unlock();
    parcels.erase(parcels.begin(), parcels.begin() + static_cast<std::ptrdiff_t>(sent));
    return answer;
  }

  // nullopt: closed and empty, cancelled, or the caller's token fired.
  [[nodiscard]] std::optional<T> pop(const std::stop_token& stop = {}) {
    const auto wake = waker(stop, items_there_);
    Lock lock(mutex_);
    if (!wait_for_item(lock, stop)) return std::nullopt;
    std::optional<T> item(take());
    notify_senders(lock);
    return item;
  }

  // Waits for at least one item, then takes up to `most` without waiting. Zero: as for pop().
  std::size_t pop_some(std::vector<T>& into, std::size_t most, const std::stop_token& stop = {}) {
    const auto wake = waker(stop, items_there_);
    Lock lock(mutex_);
    if (!wait_for_item(lock, stop)) return 0;
    return take_some(into, most, lock);
  }

  // The same, but waits only until `until`. Zero and !is_finished(): the time is up.
  std::size_t pop_some_until(std::vector<T>& into, std::size_t most, const Clock& clock,
                             Instant until) {
    Lock lock(mutex_);
    while (queue_.empty() && !closed_) {
      if (clock.now() >= until) return 0;
      ++receivers_;
      clock.wait_until(lock, items_there_, until);
      --receivers_;
    }
    return take_some(into, most, lock);
  }

  // Waits until the channel has `count` items, and takes none of them. For a receiver that wants
  // few large batches: single items do not wake it. Also returns when the time is up, when the
  // channel is half full or a sender has to wait, and when it is closed.
  void gather(std::size_t count, const Clock& clock, Instant until) {
    Lock lock(mutex_);
    gathered_at_ = std::min(count, std::max<std::size_t>(options_.items / 2, 1));
    while (!closed_ && !is_gathered() && clock.now() < until) {
      clock.wait_until(lock, gathered_, until);
    }
    gathered_at_ = kNotGathering;
  }

  void close() {
    const Lock lock(mutex_);
    closed_ = true;
    wake_all();
  }

  // Returns how many items were dropped.
  std::size_t cancel() {
    std::deque<Parcel> dropped;  // destroyed outside the lock
    const Lock lock(mutex_);
    closed_ = true;
    std::swap(dropped, queue_);
    bytes_ = {};
    wake_all();
    return dropped.size();
  }

  [[nodiscard]] bool is_finished() const {  // closed, and nothing left
    const Lock lock(mutex_);
    return closed_ && queue_.empty();
  }
  [[nodiscard]] std::size_t size() const {
    const Lock lock(mutex_);
    return queue_.size();
  }
  [[nodiscard]] Bytes bytes() const {
    const Lock lock(mutex_);
    return bytes_;
  }
  [[nodiscard]] std::size_t waiting_senders() const {  // backpressure, measured
    const Lock lock(mutex_);
    return senders_;
  }
  [[nodiscard]] std::size_t waiting_receivers() const {
    const Lock lock(mutex_);
    return receivers_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr auto kPatience = std::chrono::milliseconds(1);
  static constexpr std::size_t kNotGathering = std::numeric_limits<std::size_t>::max();

  // Ends the waits of this call when its token fires. Created and destroyed outside the lock: its
  // destructor waits for a callback that takes the lock.
  [[nodiscard]] auto waker(const std::stop_token& stop, std::condition_variable& sleepers) {
    auto wake = [this, &sleepers] {
      const std::scoped_lock held(mutex_);
      sleepers.notify_all();
    };
    return std::stop_callback<decltype(wake)>(stop, std::move(wake));
  }

  [[nodiscard]] bool has_room(Bytes size) const {
    if (queue_.empty()) return true;
    return queue_.size() < options_.items && size <= options_.bytes &&
           bytes_ <= options_.bytes - size;
  }

  Push wait_for_room(Lock& lock, Bytes size, const std::stop_token& stop) {
    bool is_impatient = false;
    auto answer = Push::full;
    while (answer == Push::full) {
      if (closed_) {
        answer = Push::closed;
      } else if (stop.stop_requested()) {
        answer = Push::cancelled;
      } else if (has_room(size)) {
        answer = Push::sent;
      } else {
        sleep_for_room(lock, is_impatient);
      }
    }
    if (is_impatient) --impatient_;
    return answer;
  }

  [[nodiscard]] bool is_gathered() const {
    return queue_.size() >= gathered_at_ || (senders_ > 0 && gathered_at_ != kNotGathering);
  }

  void wake_all() {
    items_there_.notify_all();
    gathered_.notify_all();
    room_.notify_all();
  }

  void sleep_for_room(Lock& lock, bool& is_impatient) {
    ++senders_;
    if (is_gathered()) gathered_.notify_all();
    if (is_impatient) {
      room_.wait(lock);
    } else if (room_.wait_for(lock, kPatience) == std::cv_status::timeout) {
      is_impatient = true;
      ++impatient_;
    }
    --senders_;
  }

  [[nodiscard]] bool wait_for_item(Lock& lock, const std::stop_token& stop) {
    while (queue_.empty() && !closed_ && !stop.stop_requested()) {
      ++receivers_;
      items_there_.wait(lock);
      --receivers_;
    }
    return !queue_.empty() && !stop.stop_requested();
  }

  void put(Parcel&& parcel) {
    bytes_ += parcel.size;
    queue_.push_back(std::move(parcel));
  }

  [[nodiscard]] T take() {
    Parcel parcel = std::move(queue_.front());
    queue_.pop_front();
    bytes_ -= parcel.size;
    return std::move(parcel.item);
  }

  std::size_t take_some(std::vector<T>& into, std::size_t most, Lock& lock) {
    const std::size_t count = std::min(most, queue_.size());
    for (std::size_t i = 0; i < count; ++i) into.push_back(take());
    notify_senders(lock);
    return count;
  }

  // Both release the lock: a thread that wakes while the waker holds it would fall asleep again.
  void notify_receivers(Lock& lock, std::size_t items) {
    const std::size_t asleep = receivers_;
    if (is_gathered()) gathered_.notify_all();
    lock.unlock();
    if (asleep == 0) return;
    if (items == 1 || asleep == 1) {
      items_there_.notify_one();
    } else {
      items_there_.notify_all();
    }
  }

  void notify_senders(Lock& lock) {
    const bool is_half_empty =
        queue_.size() <= options_.items / 2 && bytes_.count <= options_.bytes.count / 2;
    const bool wakes = senders_ > 0 && (impatient_ > 0 || is_half_empty);
    lock.unlock();
    if (wakes) room_.notify_all();
  }

  ChannelOptions options_;
  mutable std::mutex mutex_;  // guards everything below
  std::deque<Parcel> queue_;
  Bytes bytes_{};
  bool closed_ = false;
  std::size_t senders_ = 0;                  // asleep
  std::size_t impatient_ = 0;                // senders that have waited for kPatience
  std::size_t receivers_ = 0;                // asleep
  std::size_t gathered_at_ = kNotGathering;  // this many items wake gather()
  std::condition_variable gathered_;
  std::condition_variable room_;
  std::condition_variable items_there_;
};

}  // namespace tidemill::engine
