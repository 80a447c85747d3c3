// Which runs are forgotten. Pure: the rules, without the runs themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"

namespace tidemill::app {

// A run as far as the rules are concerned.
struct OldRun {
  WallTime last_active{};
  Bytes size{};
  bool is_candidate = false;   // may go because of a limit
  bool can_be_undone = false;  // holds the only way back
};

struct ForgetLimits {
  std::optional<std::chrono::milliseconds> older_than{};
  std::optional<Bytes> keep_size{};  // all runs together
  bool is_all = false;               // every candidate
  bool with_undo = false;            // also what can be undone

  [[nodiscard]] bool is_empty() const { return !older_than && !keep_size && !is_all; }
};

// How many stay only because they can be undone.
[[nodiscard]] std::size_t count_kept_for_undo(std::span<const OldRun> runs, ForgetLimits limits,
                                              WallTime now);

// Indexes into `runs`, the oldest first. What is too old goes; then the oldest candidates, until
// all runs that stay, candidates or not, are no larger than the size.
[[nodiscard]] std::vector<std::size_t> choose_forgotten(std::span<const OldRun> runs,
                                                        const ForgetLimits& limits, WallTime now);

}  // namespace tidemill::app
