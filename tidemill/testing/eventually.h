// eventually(condition): waits until a condition holds, never for a fixed time.
#pragma once

#include <chrono>
#include <thread>

namespace tidemill::testing {

// False after a minute, so that a broken test ends; normally it returns within microseconds.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace tidemill::testing
