// Conveyor<T>: parallel work with results in order. One feeder puts items; many workers each take
// the oldest free item, change it and give it back to its place; one taker gets the items in the
// order in which they were put.
//
//                    next()                   give()   take()            put()
//   taker ◄── basket ◄── [done][done][ ? ][done][ ? ][ ? ][item][item] ◄── feeder
//                         └─ run ──┘  └── taken by workers ───────┘
//
// Bounded in items and in bytes: put() waits while the items that have not reached the taker fill
// one of the bounds. An item larger than the byte bound is let in when nothing else is in flight.
// An item keeps the weight given to put(), and items leave in the order in which they came. So the
// oldest item always has its room, and no thread waits for a worker that waits for room.
//
// Every ticket must be given back, or the taker waits for it without end. A worker that cannot give
// a ticket back calls cancel().
//
// Waking a thread costs more than a tiny item, so no thread is woken twice for the same reason. A
// worker that finds more work wakes the next one. The taker fetches a run of items at once; if it
// had to sleep, it waits up to a millisecond for the run to grow. A feeder that had to wait is
// woken when the belt has fallen to half of both bounds, or when a worker has nothing to do.
//
// close() lets all threads finish. After cancel() all calls return at once with nothing, and items
// in flight are dropped. There are no other failures.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"

namespace tidemill::engine {

struct ConveyorOptions {
  std::size_t items = 1'024;
  Bytes bytes = {std::numeric_limits<std::uint64_t>::max()};
};

struct ConveyorCounts {
  std::uint64_t put = 0;
  std::uint64_t given = 0;  // given back by a worker
  std::uint64_t taken = 0;  // by the taker
  Bytes under_way{};        // put, but not taken yet
  std::size_t waiting_workers = 0;
  bool feeder_waits = false;  // for room: the workers or the taker are the bottleneck
  bool taker_waits = false;
};

// Thread-safe: put() and close() by one thread, next() by one thread, the rest by any.
template <class T>
class Conveyor {
 public:
  struct Ticket {
    std::uint64_t place = 0;
    T item;
  };

  explicit Conveyor(ConveyorOptions options)
      : options_{.items = std::max<std::size_t>(options.items, 1), .bytes = options.bytes},
        group_(std::clamp<std::size_t>(options.items / 4, 1, kMostGroup)) {}
  Conveyor(const Conveyor&) = delete;
  Conveyor& operator=(const Conveyor&) = delete;

  // Waits for room. False: closed or cancelled, and the item is lost.
  [[nodiscard]] bool put(T item, Bytes weight = {sizeof(T)}) {
    Lock lock(mutex_);
    while (!is_over() && !has_room(weight)) {
      wanted_ = weight;
      feeder_waits_ = true;
      room_.wait(lock);
      feeder_waits_ = false;
    }
    if (is_over()) return false;
    belt_.push_back({.item = std::move(item), .weight = weight});
    bytes_ += weight;
    wake_a_worker(lock);
    return true;
  }

  // nullopt: closed and no more work, or cancelled.
  [[nodiscard]] std::optional<Ticket> take() {
    Lock lock(mutex_);
    if (!wait_for_work(lock)) return std::nullopt;
    std::optional<Ticket> ticket(hand_out());
    wake_a_worker(lock);
    return ticket;
  }

  // Waits for one item, then adds more without waiting: at most `most` in all, none after `weight`
  // is reached, and about a quarter of the waiting items, so that some are left for other workers.
  // This makes tiny items cheap. Zero: as nullopt of take().
  std::size_t take_some(std::vector<Ticket>& into, std::size_t most, Bytes weight) {
    Lock lock(mutex_);
    if (!wait_for_work(lock)) return 0;
    const std::size_t count =
        std::clamp<std::size_t>((waiting_work() + 3) / 4, 1, std::max<std::size_t>(most, 1));
    Bytes taken{};
    std::size_t done = 0;
    do {
      taken += belt_[handed_].weight;
      into.push_back(hand_out());
    } while (++done < count && taken < weight);
    wake_a_worker(lock);
    return done;
  }

  void give(Ticket&& ticket) {
    Lock lock(mutex_);
    if (is_cancelled_) return;
    settle(std::move(ticket));
    wake_the_taker(lock);
  }

  // Leaves `tickets` empty.
  void give_all(std::vector<Ticket>& tickets) {
    Lock lock(mutex_);
    if (!is_cancelled_) {
      for (Ticket& ticket : tickets) settle(std::move(ticket));
      wake_the_taker(lock);
    }
    if (lock.owns_lock()) lock.unlock();
    tickets.clear();
  }

  // The next in order. nullopt: closed and all taken, or cancelled.
  [[nodiscard]] std::optional<T> next() {
    if (is_cancelled_) return std::nullopt;
    if (basket_.empty() && !fetch()) return std::nullopt;
    std::optional<T> item(std::move(basket_.front()));
    basket_.pop_front();
    taken_.fetch_add(1, std::memory_order_relaxed);
    if (basket_.empty() && basket_items_ > 0) {
      Lock lock(mutex_);
      make_room(lock);
    }
    return item;
  }

  // No put() follows.
  void close() {
    const Lock lock(mutex_);
    is_closed_ = true;
    wake_all();
  }

  void cancel() {
    std::deque<Slot> dropped;  // destroyed outside the lock
    const Lock lock(mutex_);
    is_closed_ = true;
    is_cancelled_ = true;
    first_ += belt_.size();
    std::swap(dropped, belt_);
    handed_ = 0;
    run_ = 0;
    wake_all();
  }

  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }

  [[nodiscard]] ConveyorCounts counts() const {
    const Lock lock(mutex_);
    return {.put = first_ + belt_.size(),
            .given = given_,
            .taken = taken_.load(std::memory_order_relaxed),
            .under_way = bytes_,
            .waiting_workers = workers_,
            .feeder_waits = feeder_waits_,
            .taker_waits = taker_wants_ > 0};
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr std::size_t kMostGroup = 64;
  static constexpr auto kPatience = std::chrono::milliseconds(1);

  struct Slot {
    T item;  // moved from while a worker has it
    Bytes weight{};
    bool is_done = false;
  };

  [[nodiscard]] bool is_over() const { return is_closed_ || is_cancelled_; }
  [[nodiscard]] std::size_t waiting_work() const { return belt_.size() - handed_; }
  [[nodiscard]] bool is_all_given() const { return given_ == first_ + belt_.size(); }

  [[nodiscard]] bool has_room(Bytes weight) const {
    const std::size_t items = belt_.size() + basket_items_;
    if (items == 0) return true;
    return items < options_.items && weight <= options_.bytes && bytes_ <= options_.bytes - weight;
  }

  [[nodiscard]] bool is_half_empty() const {
    return belt_.size() + basket_items_ <= options_.items / 2 &&
           bytes_.count <= options_.bytes.count / 2;
  }

  [[nodiscard]] bool wait_for_work(Lock& lock) {
    while (!is_over() && waiting_work() == 0) {
      if (feeder_waits_ && has_room(wanted_)) room_.notify_one();
      ++workers_;
      work_.wait(lock);
      --workers_;
      is_worker_waking_ = false;
    }
    return waiting_work() > 0;
  }

  [[nodiscard]] Ticket hand_out() {
    Slot& slot = belt_[handed_];
    Ticket ticket{.place = first_ + handed_, .item = std::move(slot.item)};
    ++handed_;
    return ticket;
  }

  void settle(Ticket&& ticket) {
    assert(ticket.place >= first_ && ticket.place - first_ < handed_);
    Slot& slot = belt_[static_cast<std::size_t>(ticket.place - first_)];
    assert(!slot.is_done);
    slot.item = std::move(ticket.item);
    slot.is_done = true;
    ++given_;
    while (run_ < handed_ && belt_[run_].is_done) ++run_;
  }

  // These three release the lock: a thread that wakes while the waker holds it would fall asleep
  // again.
  void wake_a_worker(Lock& lock) {
    const bool wakes = workers_ > 0 && !is_worker_waking_ && waiting_work() > 0;
    if (wakes) is_worker_waking_ = true;  // until one returns from its wait
    lock.unlock();
    if (wakes) work_.notify_one();
  }

  void wake_the_taker(Lock& lock) {
    const bool wakes = taker_wants_ > 0 && run_ > 0 && (run_ >= taker_wants_ || is_all_given());
    lock.unlock();
    if (wakes) done_.notify_one();
  }

  // Frees the room of the items that the taker had in its basket.
  void make_room(Lock& lock) {
    bytes_ -= basket_bytes_;
    basket_bytes_ = {};
    basket_items_ = 0;
    const bool wakes = feeder_waits_ && has_room(wanted_) && (is_half_empty() || workers_ > 0);
    lock.unlock();
    if (wakes) room_.notify_one();
  }

  // On the taker's thread: moves the next run of done items into the basket.
  [[nodiscard]] bool fetch() {
    Lock lock(mutex_);
    if (!wait_for_run(lock)) return false;
    do {
      Slot& slot = belt_.front();
      basket_.push_back(std::move(slot.item));
      basket_bytes_ += slot.weight;
      ++basket_items_;
      belt_.pop_front();
      ++first_;
      --handed_;
      --run_;
    } while (run_ > 0 && basket_items_ < group_ &&
             basket_bytes_ + belt_.front().weight <= Bytes{options_.bytes.count / 4});
    if (basket_items_ == 1) make_room(lock);  // next() takes it out at once
    return true;
  }

  [[nodiscard]] bool wait_for_run(Lock& lock) {
    const bool has_to_sleep = run_ == 0;
    taker_wants_ = 1;
    while (run_ == 0 && !is_cancelled_ && !(is_closed_ && belt_.empty())) done_.wait(lock);
    taker_wants_ = group_;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (has_to_sleep && run_ < group_ && !is_all_given() && !is_cancelled_) {
      if (done_.wait_until(lock, until) == std::cv_status::timeout) break;
    }
    taker_wants_ = 0;
    return run_ > 0;
  }

  void wake_all() {
    room_.notify_all();
    work_.notify_all();
    done_.notify_all();
  }

  const ConveyorOptions options_;
  const std::size_t group_;  // the maximum in a basket
  std::atomic<bool> is_cancelled_ = false;
  std::atomic<std::uint64_t> taken_ = 0;

  std::deque<T> basket_;  // the taker's alone

  mutable std::mutex mutex_;  // guards everything below
  std::deque<Slot> belt_;
  std::uint64_t first_ = 0;  // the place of belt_.front()
  std::size_t handed_ = 0;   // items of the belt that workers have taken
  std::size_t run_ = 0;      // items at its front that are done
  std::uint64_t given_ = 0;  // since the start
  Bytes bytes_{};            // of the belt and the basket
  Bytes basket_bytes_{};
  std::size_t basket_items_ = 0;  // their room is not free yet
  bool is_closed_ = false;
  Bytes wanted_{};  // by the waiting feeder
  bool feeder_waits_ = false;
  std::size_t workers_ = 0;        // asleep
  bool is_worker_waking_ = false;  // one was notified and has not returned yet
  std::size_t taker_wants_ = 0;    // a run of this length wakes it; 0: it is awake
  std::condition_variable room_;
  std::condition_variable work_;
  std::condition_variable done_;
};

}  // namespace tidemill::engine
