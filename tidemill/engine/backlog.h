// Backlog: the tasks that wait for a worker, and the rule for who is next.
//
//   urgent  ▸ t ▸ t ▸ t          one first-in-first-out list a priority, all of them threaded
//   high    ▸ t                  through one slab of 64-byte slots:
//   normal  ▸ t ▸ t ▸ t ▸ t        [ t t . t t t . t t . . . ]   . = free
//   low     ▸ t
//
// The highest priority goes first, but a list that was passed over `ageing` times in a row gets the
// next start: counted in starts, not in seconds, so the rule needs no clock and holds for tasks of
// 50 µs and of an hour alike. A task at the head of its list therefore waits for at most
// `ageing` × 4 starts.
//
// With Order::smallest_first the lightest task of a list is next, equal ones in the order they
// came; every `ageing`-th start of that list takes its oldest, so a large one is not left for ever.
// That order costs two tree nodes a task.
//
// The backlog has no bound of its own: whoever owns it decides whom to let in (see dispatch.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tidemill/engine/task.h"

namespace tidemill::engine {

enum class Order : std::uint8_t { first_come, smallest_first };

// One thread: its owner holds a lock.
class Backlog {
 public:
  Backlog(Order order, unsigned ageing) : order_(order), ageing_(ageing) {}

  void push(Task&& task);
  [[nodiscard]] Task pop();  // not when empty

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kSlotsInBlock = 128;

  // A slot is one cache line; the small numbers stand beside it in arrays of their own, because a
  // struct of all of them would be padded to more than is promised for a queued task.
  struct Slot {
    Closure body;
    TaskId id = 0;
  };
  struct alignas(64) Block {
    std::array<Slot, kSlotsInBlock> slots;
    std::array<std::uint32_t, kSlotsInBlock> next;  // in its list, or in the list of free slots
    std::array<std::uint16_t, kSlotsInBlock> attempt;
    std::array<TaskType, kSlotsInBlock> type;
  };
  static_assert(sizeof(Slot) == 64);
  static_assert(sizeof(Block) <= 71 * kSlotsInBlock, "a queued task is promised 72 bytes in all");

  // The lists of one priority: `head … tail` for first_come, the two sets for smallest_first.
  struct List {
    struct Weighed {
      std::uint64_t weight;
      std::uint64_t arrival;
      std::uint32_t slot;
      auto operator<=>(const Weighed&) const = default;
    };
    struct Arrived {
      std::uint64_t arrival;
      std::uint64_t weight;
      std::uint32_t slot;
      auto operator<=>(const Arrived&) const = default;
    };
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    std::set<Weighed> by_weight;
    std::set<Arrived> by_arrival;
    unsigned passed_over = 0;        // starts in a row that went to a higher priority
    unsigned lightest_in_a_row = 0;  // smallest_first: starts since the oldest had its turn
  };

  [[nodiscard]] Block& block(std::uint32_t at) { return *blocks_[at / kSlotsInBlock]; }
  [[nodiscard]] std::uint32_t& next(std::uint32_t at) { return block(at).next[at % kSlotsInBlock]; }
  [[nodiscard]] std::uint32_t free_slot();
  void append(List& list, std::uint32_t at, std::uint64_t weight);
  [[nodiscard]] std::size_t next_level();
  [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> take_from(List& list);

  Order order_;
  unsigned ageing_;
  std::array<List, kPriorities> lists_;
  unsigned filled_ = 0;  // bit i: list i is not empty
  std::size_t size_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint32_t free_ = kNone;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace tidemill::engine
