// Budget: bounds the items and the bytes that are in flight at once.
#pragma once

#include <cstddef>
#include <limits>
#include <stop_token>

#include "tidemill/base/bytes.h"
#include "tidemill/base/guarded.h"

namespace tidemill::engine {

struct BudgetOptions {
  std::size_t items = 1'000;
  Bytes bytes = {std::numeric_limits<std::uint64_t>::max()};
};

// Thread-safe.
class Budget {
 public:
  explicit Budget(BudgetOptions options) : options_(options) {}

  // Waits for room; an item larger than the byte bound is let in when nothing else is in flight.
  // False: end() was called, and nothing was taken.
  [[nodiscard]] bool take(Bytes size) {
    auto state = state_.lock();
    if (!state->has_ended && !has_room(*state, size)) {
      ++state->waiting;
      state.wait([&](const State& s) { return s.has_ended || has_room(s, size); });
      --state->waiting;
    }
    if (state->has_ended) return false;
    ++state->items;
    state->bytes += size;
    return true;
  }

  void give_back(std::size_t items, Bytes bytes) {
    state_.update([&](State& state) {
      state.items -= items;
      state.bytes -= bytes;
    });
  }

  // Waiting and later calls of take() return false.
  void end() {
    state_.update([](State& state) { state.has_ended = true; });
  }

  [[nodiscard]] std::size_t waiting() { return state_.lock()->waiting; }

 private:
  struct State {
    std::size_t items = 0;
    Bytes bytes{};
    std::size_t waiting = 0;
    bool has_ended = false;
  };

  [[nodiscard]] bool has_room(const State& state, Bytes size) const {
    if (state.items == 0) return true;
    return state.items < options_.items && size <= options_.bytes &&
           state.bytes <= options_.bytes - size;
  }

  const BudgetOptions options_;
  Guarded<State> state_;
};

}  // namespace tidemill::engine
