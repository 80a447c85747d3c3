// Blocks: cells in blocks that never move, each cell known by a number of 32 bits. Growing takes no
// lock; what is in a cell is its owner's business.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

namespace tidemill::dupes {

// Thread-safe.
template <class Cell, std::size_t Shift>
class Blocks {
 public:
  static constexpr std::size_t kCells = std::size_t{1} << Shift;
  static constexpr std::size_t kMost = (std::size_t{1} << 32U) >> Shift;

  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    for (std::size_t i = 0; i < count(); ++i) delete[] list_.get()[i].load();
  }

  // The number of the first cell of a new block, or nothing when all numbers are used. The memory
  // comes first: a block that has a number is there.
  [[nodiscard]] std::optional<std::uint32_t> add() {
    auto cells = std::make_unique<Cell[]>(kCells);
    const std::size_t block = count_.fetch_add(1);
    if (block >= kMost) return std::nullopt;
    list_.get()[block].store(cells.release(), std::memory_order_release);
    return static_cast<std::uint32_t>(block << Shift);
  }
  [[nodiscard]] std::size_t count() const { return std::min(count_.load(), kMost); }
  [[nodiscard]] Cell* at(std::uint32_t number) const {
    return list_.get()[number >> Shift].load(std::memory_order_acquire) + (number & (kCells - 1));
  }

 private:
  using Slot = std::atomic<Cell*>;
  struct Free {
    void operator()(Slot* list) const { std::free(list); }  // NOLINT: see list_
  };

  // Out of memory is told as any container tells it.
  static Slot* make_list() {
    void* const list = std::calloc(kMost, sizeof(Slot));  // NOLINT: see list_
    if (list == nullptr) throw std::bad_alloc();
    return static_cast<Slot*>(list);
  }

  // Long, and mostly never touched: calloc gives pages that cost nothing until then.
  std::unique_ptr<Slot, Free> list_{make_list()};
  std::atomic<std::size_t> count_{0};
};

}  // namespace tidemill::dupes
