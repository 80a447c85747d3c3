// Backlog: the tasks that wait for a worker, and the rule for which is next.
//
//                inbox               │  ready list
//   put ──►  urgent  ▸ t             │  urgent  ▸ t ▸ t            ──► pop
//            high                    │  high    ▸ t
//            normal  ▸ t ▸ t         │  normal  ▸ t ▸ t ▸ t ▸ t
//            low     ▸ t             │  low     ▸ t
//              ▲ free slots          │                  freed slots │
//              └────────────── drain_inbox() ◄──────────────────────┘
//
// With one set of lists, producers and workers would contend for it at every task. So each side has
// its own set, with one first-in-first-out list per priority: producers put tasks into the inbox,
// workers take them from the ready list. drain_inbox() moves all lists of the inbox to the ready
// list and returns freed slots, in a constant number of steps: all lists are threaded through one
// slab of slots, so no task is copied. It is needed when the ready list is empty, when the inbox
// has a higher priority, and every kInboxCheckEvery starts; with TaskOrder::smallest_first it costs
// O(log n) per task and is needed whenever the inbox is not empty.
//
// The highest priority goes first, but a list that was skipped `ageing` times in a row gets the
// next start. The rule counts starts, not seconds, so it needs no clock and suits tasks of 50 µs
// and of an hour alike. A task at the head of its list waits for at most kInboxCheckEvery +
// `ageing` × 4 starts.
//
// With TaskOrder::smallest_first the lightest task of a list is next, equal ones in the order of
// arrival. After `ageing` such starts the list's oldest task is next, so a large one does not
// starve. This order costs two tree nodes per task.
//
// The backlog is not bounded: its owner decides which tasks to admit (see dispatch.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tidemill/engine/pool/slab.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

// The functions are grouped by the lock that they need: the producer lock, the worker lock, or
// both.
class Backlog {
 public:
  static constexpr unsigned kInboxCheckEvery = 64;

  Backlog(TaskOrder order, unsigned ageing);
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // Producer lock: the inbox.
  [[nodiscard]] bool has_slot() const { return !inbox_.free.empty(); }
  void put(Task&& task);  // needs a slot
  [[nodiscard]] std::size_t in_inbox() const { return inbox_.count; }

  // Both locks.
  void make_slots();  // from freed slots, or new ones
  void drain_inbox();

  // Worker lock: the ready list.
  [[nodiscard]] bool empty() const { return ready_.count == 0; }
  [[nodiscard]] std::size_t ready() const { return ready_.count; }
  [[nodiscard]] bool should_drain_inbox() const;
  [[nodiscard]] Task pop();  // not when empty

 private:
  // One cache line per side: each side is used by other cores, and a worker must touch few lines
  // per task, because they come from the core of the previous worker.
  struct alignas(64) Side {
    std::array<SlotList, kPriorities> lists;
    SlotList free;
    std::uint32_t count = 0;
    std::uint32_t filled = 0;  // bit i: list i is not empty
    // Ready list only: starts in a row that went to a higher priority; starts since the last
    // drain_inbox().
    std::array<std::uint16_t, kPriorities> passed_over{};
    std::uint32_t starts = 0;
  };
  static_assert(sizeof(Side) == 64);

  // The tasks of one priority by weight and by arrival, for smallest_first.
  struct Weighed {
    using Key = std::pair<std::uint64_t, std::uint64_t>;
    std::set<std::pair<Key, std::uint32_t>> by_weight;   // (weight, arrival), slot
    std::set<std::pair<Key, std::uint32_t>> by_arrival;  // (arrival, weight), slot
    unsigned lightest_in_a_row = 0;                      // starts since the oldest was taken
  };

  void weigh(std::size_t level);
  [[nodiscard]] std::size_t next_level();
  [[nodiscard]] std::uint32_t take_weighed(Weighed& weighed) const;

  const TaskOrder order_;
  const unsigned ageing_;
  Slab slab_;
  std::vector<std::uint64_t> weights_;  // one per slot, for smallest_first only
  Side inbox_;
  Side ready_;
  // The inbox's `filled`, for workers to read without the producer lock.
  alignas(64) std::atomic<unsigned> inbox_filled_ = 0;
  // Worker lock.
  alignas(64) std::array<Weighed, kPriorities> weighed_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace tidemill::engine
