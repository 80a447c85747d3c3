// Contestants: our pool and three others behind the same few functions.
//
//   Contestant(capacity)   two workers, started; the others have no capacity and ignore it
//   submit(body)           from any thread; ours waits while the queue is full
//   finish()               no more work comes: run what is queued, then end the workers
//   cancel()               drop what is queued, then end the workers
//
// Ours runs with everything it does in production: bounded, priorities, counters and execution
// times, heartbeats with the stall watch, containment of exceptions. The others do none of this.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

// Asio then takes its memory from operator new, where it can be counted; in glibc both are malloc.
#define ASIO_DISABLE_STD_ALIGNED_ALLOC
#include <blockingconcurrentqueue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <asio.hpp>

#include "bench/micro/our_pool.h"

namespace tidemill::bench {

class AsioPool {
 public:
  static constexpr const char* kName = "asio";
  explicit AsioPool(std::size_t /*capacity*/) {}

  template <class Body>
  void submit(Body body) {
    asio::post(pool_, std::move(body));
  }
  void finish() { pool_.join(); }
  void cancel() {
    pool_.stop();
    pool_.join();
  }

 private:
  asio::thread_pool pool_{kWorkers};
};

// tbb::task_arena and task_group. Tasks are enqueued from outside the arena and belong to a group,
// which is what can be waited for and cancelled. The limit counts the calling thread too, hence one
// more.
class TbbPool {
 public:
  static constexpr const char* kName = "tbb";
  explicit TbbPool(std::size_t /*capacity*/) { arena_.initialize(); }

  template <class Body>
  void submit(Body body) {
    arena_.enqueue(group_.defer(std::move(body)));
  }
  void finish() { group_.wait(); }
  void cancel() {
    group_.cancel();
    group_.wait();
  }

 private:
  tbb::global_control workers_{tbb::global_control::max_allowed_parallelism, kWorkers + 1};
  tbb::task_arena arena_{static_cast<int>(kWorkers), 0};
  tbb::task_group group_;
};

// The queue asks its own malloc for blocks; operator new is the same, and is counted.
struct CountedBlocks : moodycamel::ConcurrentQueueDefaultTraits {
  static void* malloc(std::size_t size) { return ::operator new(size); }
  static void free(void* block) { ::operator delete(block); }
};

// A queue and two threads: the least a pool can be.
class MoodycamelPool {
 public:
  static constexpr const char* kName = "moodycamel";
  explicit MoodycamelPool(std::size_t /*capacity*/) {
    for (std::size_t i = 0; i < kWorkers; ++i) workers_.emplace_back([this] { work(); });
  }

  template <class Body>
  void submit(Body body) {
    queue_.enqueue(std::move(body));
  }
  void finish() {
    queue_.enqueue(Function());
    workers_.clear();
  }
  void cancel() {
    cancelled_ = true;
    finish();
  }

 private:
  using Function = std::function<void()>;

  // An empty body says that nothing more comes. It may overtake others, since bodies of several
  // producers have no common order: whoever gets it empties the queue and hands it on.
  void work() {
    Function body;
    while (true) {
      queue_.wait_dequeue(body);
      if (!body || cancelled_.load(std::memory_order_relaxed)) break;
      body();
    }
    while (!cancelled_ && queue_.try_dequeue(body)) body();
    queue_.enqueue(Function());
  }

  moodycamel::BlockingConcurrentQueue<Function, CountedBlocks> queue_;
  std::atomic<bool> cancelled_{false};
  std::vector<std::jthread> workers_;
};

// What most people would take. libstdc++ 12 may lose its wake-ups: the limit keeps a run from
// hanging, and the first try spares the clock that a limit needs.
class StdSemaphore {
 public:
  explicit StdSemaphore(std::size_t count) : room_(static_cast<std::ptrdiff_t>(count)) {}
  void acquire() {
    while (!room_.try_acquire() && !room_.try_acquire_for(std::chrono::milliseconds(100))) {
    }
  }
  void release() { room_.release(); }

 private:
  std::counting_semaphore<> room_;
};

// The best known one: it spins before it sleeps. Kept beside the other so that nobody is
// flattered by a weak semaphore.
class LightSemaphore {
 public:
  explicit LightSemaphore(std::size_t count) : room_(static_cast<std::ptrdiff_t>(count)) {}
  void acquire() {
    while (!room_.wait()) {  // a signal came in between
    }
  }
  void release() { room_.signal(); }

 private:
  moodycamel::LightweightSemaphore room_;
};

// An unbounded contestant with a bound put in front of it, the way its users do it.
template <class Pool, class Semaphore>
class Bounded {
 public:
  explicit Bounded(std::size_t capacity) : room_(capacity), pool_(capacity) {}

  template <class Body>
  void submit(Body body) {
    room_.acquire();
    pool_.submit([this, body = std::move(body)] {
      room_.release();  // a task that has started is no longer queued
      body();
    });
  }
  void finish() { pool_.finish(); }

 private:
  Semaphore room_;
  Pool pool_;
};

}  // namespace tidemill::bench
