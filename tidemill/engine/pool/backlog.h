// Backlog: the tasks that wait for a worker, and the rule for who is next.
//
//                porch               │  inside
//   put ──►  urgent  ▸ t             │  urgent  ▸ t ▸ t            ──► pop
//            high                    │  high    ▸ t
//            normal  ▸ t ▸ t         │  normal  ▸ t ▸ t ▸ t ▸ t
//            low     ▸ t             │  low     ▸ t
//              ▲ free slots          │                  freed slots │
//              └──────────────── take_in() ◄────────────────────────┘
//
// Producers and workers would fight over one list for every single task. So there are two sets of
// lists, one first-in-first-out list a priority each, and each side has its own: producers put
// tasks on the porch, workers take them from inside. take_in() moves all lists of the porch inside
// and hands freed slots back, in a constant number of steps: all lists are threaded through one
// slab of slots, so no task is copied. It is needed when inside is empty, when the porch has a
// higher priority, and every kLookOutEvery starts.
//
// The highest priority goes first, but a list that was passed over `ageing` times in a row gets the
// next start: counted in starts, not in seconds, so the rule needs no clock and holds for tasks of
// 50 µs and of an hour alike. A task at the head of its list waits for at most kLookOutEvery +
// `ageing` × 4 starts.
//
// With Order::smallest_first the lightest task of a list is next, equal ones in the order they
// came; every `ageing`-th start of that list takes its oldest, so a large one is not left for ever.
// That order costs two tree nodes a task.
//
// The backlog has no bound of its own: whoever owns it decides whom to let in (see dispatch.h).
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

// Each function says whose lock it needs: the porch's, the inside's, or both.
class Backlog {
 public:
  static constexpr unsigned kLookOutEvery = 64;

  Backlog(Order order, unsigned ageing);
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // The porch's.
  [[nodiscard]] bool has_slot() const { return !porch_.free.empty(); }
  void put(Task&& task);  // needs a slot
  [[nodiscard]] std::size_t on_porch() const { return porch_.count; }

  // Both.
  void make_slots();  // from freed ones, or new ones
  void take_in();

  // The inside's.
  [[nodiscard]] bool empty() const { return inside_.count == 0; }
  [[nodiscard]] std::size_t inside() const { return inside_.count; }
  [[nodiscard]] bool should_take_in() const;
  [[nodiscard]] Task pop();  // not when empty

 private:
  // One cache line a side: the other one belongs to another core, and what a worker touches for
  // each task must be little, because it comes from the core of the worker before it.
  struct alignas(64) Side {
    std::array<SlotList, kPriorities> lists;
    SlotList free;
    std::uint32_t count = 0;
    std::uint32_t filled = 0;  // bit i: list i is not empty
    // Inside only: starts in a row that went to a higher priority; starts since the last take_in().
    std::array<std::uint16_t, kPriorities> passed_over{};
    std::uint32_t starts = 0;
  };
  static_assert(sizeof(Side) == 64);

  // The tasks of one priority by weight and by arrival, for smallest_first.
  struct Weighed {
    using Key = std::pair<std::uint64_t, std::uint64_t>;
    std::set<std::pair<Key, std::uint32_t>> by_weight;   // (weight, arrival), slot
    std::set<std::pair<Key, std::uint32_t>> by_arrival;  // (arrival, weight), slot
    unsigned lightest_in_a_row = 0;                      // starts since the oldest had its turn
  };

  void weigh(std::size_t level);
  [[nodiscard]] std::size_t next_level();
  [[nodiscard]] std::uint32_t take_weighed(Weighed& weighed) const;

  const Order order_;
  const unsigned ageing_;
  Slab slab_;
  std::vector<std::uint64_t> weights_;  // one a slot, for smallest_first only
  Side porch_;
  Side inside_;
  // What workers may know of the porch without its lock: which priorities are there.
  alignas(64) std::atomic<unsigned> porch_filled_ = 0;
  // Of the inside.
  alignas(64) std::array<Weighed, kPriorities> weighed_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace tidemill::engine
