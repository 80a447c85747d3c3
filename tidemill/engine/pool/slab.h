// Slab: storage for queued tasks, in slots that are linked into lists.
//
// A slot is one cache line; the small fields are in separate arrays, because a struct of all fields
// would be padded to more than the 72 bytes that are promised for a queued task. Memory is returned
// only when the slab is destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tidemill/engine/task.h"

namespace tidemill::engine {

inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// A first-in-first-out list of slots. A value; the links are in the slab.
struct SlotList {
  std::uint32_t head = kNoSlot;
  std::uint32_t tail = kNoSlot;

  [[nodiscard]] bool empty() const { return head == kNoSlot; }
};

// Only the holder of a slot may access it. During grow() no other thread may access the slab.
class Slab {
 public:
  // Adds a block; returns its slots as a list.
  [[nodiscard]] SlotList grow() {
    const auto first = static_cast<std::uint32_t>(blocks_.size() * kSlotsInBlock);
    blocks_.push_back(std::make_unique<Block>());
    SlotList fresh;
    for (std::uint32_t i = 0; i < kSlotsInBlock; ++i) append(fresh, first + i);
    return fresh;
  }

  void append(SlotList& list, std::uint32_t at) {
    next(at) = kNoSlot;
    if (list.empty()) {
      list.head = at;
    } else {
      next(list.tail) = at;
    }
    list.tail = at;
  }

  // Appends all of `more` to `list`, and leaves `more` empty.
  void join(SlotList& list, SlotList& more) {
    if (more.empty()) return;
    if (list.empty()) {
      list = more;
    } else {
      next(list.tail) = more.head;
      list.tail = more.tail;
    }
    more = {};
  }

  [[nodiscard]] std::uint32_t take_first(SlotList& list) {
    const std::uint32_t at = list.head;
    list.head = next(at);
    return at;  // if the list is empty now, its tail is never read
  }

  void fill(std::uint32_t at, Task&& task) {
    Block& home = block(at);
    const std::size_t i = at % kSlotsInBlock;
    home.slots[i].body = std::move(task.body);
    home.slots[i].id = task.traits.id;
    home.attempt[i] = task.attempt;
    home.type[i] = task.traits.type;
  }

  // The task without its priority and weight, which the slab does not store.
  [[nodiscard]] Task empty(std::uint32_t at) {
    Block& home = block(at);
    const std::size_t i = at % kSlotsInBlock;
    Task task;
    task.body = std::move(home.slots[i].body);
    task.traits.id = home.slots[i].id;
    task.traits.type = home.type[i];
    task.attempt = home.attempt[i];
    return task;
  }

  [[nodiscard]] std::uint32_t& next(std::uint32_t at) { return block(at).next[at % kSlotsInBlock]; }
  [[nodiscard]] std::size_t size() const { return blocks_.size() * kSlotsInBlock; }

 private:
  static constexpr std::size_t kSlotsInBlock = 128;

  struct Slot {
    Closure body;
    TaskId id = 0;
  };
  struct alignas(64) Block {
    std::array<Slot, kSlotsInBlock> slots;
    std::array<std::uint32_t, kSlotsInBlock> next;
    std::array<std::uint16_t, kSlotsInBlock> attempt;
    std::array<TaskType, kSlotsInBlock> type;
  };
  static_assert(sizeof(Slot) == 64);
  static_assert(sizeof(Block) <= 71 * kSlotsInBlock, "a queued task is promised 72 bytes in all");

  [[nodiscard]] Block& block(std::uint32_t at) { return *blocks_[at / kSlotsInBlock]; }

  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace tidemill::engine
