// Turn: lets workers that process blocks in any order do one thing in the order of the blocks.
//
//   block 7   parse ──── new column! ──┐ waits                ┌ adds it ── parse on ── done(7)
//   block 6   parse ───────────────────┴─ done(6) ── wakes 7 ─┘
//
// A worker that finds a new column waits until every block before its own is parsed: so columns are
// added in the order of the lines, whichever worker parses them. Blocks are handed out in order, so
// the first block in progress never waits, and there is no deadlock. A column is new only once, so
// this costs the time of one block for each set of new columns.
#pragma once

#include <cstdint>
#include <set>

#include "tidemill/base/guarded.h"

namespace tidemill::import {

// Thread-safe.
class Turn {
 public:
  // Waits until all blocks before this one are done. False: cancelled.
  [[nodiscard]] bool wait(std::uint64_t order) {
    auto state = state_.lock();
    state.wait([&](const State& s) { return s.is_cancelled || s.next == order; });
    return !state->is_cancelled;
  }

  // Once per block.
  void done(std::uint64_t order) {
    state_.update([&](State& state) {
      state.ahead.insert(order);
      while (!state.ahead.empty() && *state.ahead.begin() == state.next) {
        state.ahead.erase(state.ahead.begin());
        ++state.next;
      }
    });
  }

  void cancel() {
    state_.update([](State& state) { state.is_cancelled = true; });
  }

 private:
  struct State {
    std::uint64_t next = 0;           // every block before it is done
    std::set<std::uint64_t> ahead{};  // done, but after a block that is not
    bool is_cancelled = false;
  };
  Guarded<State> state_;
};

}  // namespace tidemill::import
