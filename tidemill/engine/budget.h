// Budget: how many items, and how many bytes, may be under way at once.
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

  // Waits for room; one that is larger than all of it goes when nothing else is under way. False:
  // ended, nothing was taken.
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

  // Whoever waits, or comes later, leaves with false.
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
