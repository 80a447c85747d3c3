// Grind: a task body that costs a fixed number of instructions.
//
// A body that watches a clock runs as long as it is told whatever the pool costs; this one does the
// same work for everybody, so what is above it is the pool's.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "bench/micro/measure.h"

namespace tidemill::bench {

[[gnu::noinline]] inline void grind(std::uint64_t turns) {
  std::uint64_t value = turns;
  for (std::uint64_t i = 0; i < turns; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));  // the loop must not be folded away
  }
}

// How many turns cost `wanted` of CPU on this machine. The cheapest of many tries: the others were
// disturbed.
[[nodiscard]] inline std::uint64_t turns_for(std::chrono::microseconds wanted) {
  constexpr std::uint64_t kTurns = 100'000;
  settle();
  Nanoseconds cheapest = std::chrono::seconds(1);
  for (int attempt = 0; attempt < 30; ++attempt) {
    const Nanoseconds before = process_cpu();
    grind(kTurns);
    cheapest = std::min(cheapest, process_cpu() - before);
  }
  const double turns = static_cast<double>(kTurns) * (Nanoseconds(wanted) / cheapest);
  return static_cast<std::uint64_t>(turns);
}

// Grinds in slices and looks at `stop` between them, as a task of ours looks at its stop token.
inline void grind_until(std::uint64_t turns, const std::atomic<bool>& stop) {
  constexpr std::uint64_t kSlices = 20;
  for (std::uint64_t i = 0; i < kSlices && !stop.load(std::memory_order_relaxed); ++i) {
    grind(turns / kSlices);
  }
}

}  // namespace tidemill::bench
