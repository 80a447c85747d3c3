// Allocations: counts what operator new hands out. Replaces the global operators, so it is included
// by exactly one file of a program.
//
// Counting is off but for the memory scenario: a shared counter on every allocation would be
// charged to those who allocate, in the scenarios that measure time.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace tidemill::bench {

struct Allocations {
  std::int64_t calls = 0;
  std::int64_t live = 0;  // bytes handed out and not yet given back, as malloc rounds them
};

inline std::atomic<bool> allocations_counted{false};
inline std::atomic<std::int64_t> allocation_calls{0};
inline std::atomic<std::int64_t> allocation_bytes{0};

[[nodiscard]] inline Allocations allocations_now() {
  return {.calls = allocation_calls, .live = allocation_bytes};
}

[[gnu::noinline]] inline void* counted(void* block) {
  if (block == nullptr) std::abort();
  if (allocations_counted.load(std::memory_order_relaxed)) {
    allocation_calls.fetch_add(1, std::memory_order_relaxed);
    allocation_bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(block)),
                               std::memory_order_relaxed);
  }
  return block;
}

[[gnu::noinline]] inline void give_back(void* block) {
  if (block != nullptr && allocations_counted.load(std::memory_order_relaxed)) {
    allocation_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)),
                               std::memory_order_relaxed);
  }
  std::free(block);
}

[[nodiscard]] inline void* aligned(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}

}  // namespace tidemill::bench

// The array and nothrow forms of the standard library end up in these.
void* operator new(std::size_t size) { return tidemill::bench::counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return tidemill::bench::counted(tidemill::bench::aligned(size, alignment));
}
void operator delete(void* block) noexcept { tidemill::bench::give_back(block); }
void operator delete(void* block, std::size_t) noexcept { tidemill::bench::give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { tidemill::bench::give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  tidemill::bench::give_back(block);
}
