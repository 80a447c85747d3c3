// Queues: our channel and two others behind the same few functions, for 8-byte items.
//
//   Queue(capacity)     bounded
//   push(items)         waits for room; a span of one is the plain push
//   pop(room)           waits for at least one item, answers how many; 0: ended and empty
//   end(consumers)      called once, when every producer is done
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <blockingconcurrentqueue.h>
#include <oneapi/tbb/concurrent_queue.h>

#include "bench/micro/our_channel.h"

namespace tidemill::bench {

inline constexpr Item kEnd = ~Item{0};

// Has no batches: items go one by one.
class TbbQueue {
 public:
  static constexpr const char* kName = "tbb bounded queue";
  explicit TbbQueue(std::size_t capacity) {
    queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity));
  }

  void push(std::span<const Item> items) {
    for (const Item item : items) queue_.push(item);
  }
  [[nodiscard]] std::size_t pop(std::span<Item> room) {
    queue_.pop(room[0]);
    if (room[0] == kEnd) return 0;
    std::size_t count = 1;
    while (count < room.size() && queue_.try_pop(room[count])) {
      if (room[count] == kEnd) {
        queue_.push(kEnd);  // seen at the next pop, here or at another consumer
        break;
      }
      ++count;
    }
    return count;
  }
  void end(std::size_t consumers) {
    for (std::size_t i = 0; i < consumers; ++i) queue_.push(kEnd);
  }

 private:
  tbb::concurrent_bounded_queue<Item> queue_;
};

// Unbounded by itself; the library's own semaphore counts the room. It keeps no order between
// producers, so an end mark could overtake items: consumers look at a flag every millisecond.
class MoodycamelQueue {
 public:
  static constexpr const char* kName = "moodycamel+semaphore";
  explicit MoodycamelQueue(std::size_t capacity) : room_(static_cast<std::ptrdiff_t>(capacity)) {}

  void push(std::span<const Item> items) {
    while (!items.empty()) {
      const auto wanted = static_cast<std::ptrdiff_t>(items.size());
      const auto count = static_cast<std::size_t>(room_.waitMany(wanted));
      if (count == 1) {
        queue_.enqueue(items[0]);
      } else {
        queue_.enqueue_bulk(items.data(), count);
      }
      items = items.subspan(count);
    }
  }
  [[nodiscard]] std::size_t pop(std::span<Item> room) {
    constexpr std::int64_t kMicroseconds = 1000;
    while (true) {
      const bool last_look = ended_.load(std::memory_order_acquire);
      const std::size_t count =
          room.size() == 1
              ? std::size_t{queue_.wait_dequeue_timed(room[0], kMicroseconds)}
              : queue_.wait_dequeue_bulk_timed(room.data(), room.size(), kMicroseconds);
      if (count > 0) room_.signal(static_cast<std::ptrdiff_t>(count));
      if (count > 0 || last_look) return count;
    }
  }
  void end(std::size_t /*consumers*/) { ended_.store(true, std::memory_order_release); }

 private:
  moodycamel::BlockingConcurrentQueue<Item> queue_;
  moodycamel::LightweightSemaphore room_;
  std::atomic<bool> ended_{false};
};

}  // namespace tidemill::bench
