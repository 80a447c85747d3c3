// Chooses the runs that `forget` removes. Pure: only the rules, without the runs themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"

namespace tidemill::app {

// The properties of a run that the rules need.
struct OldRun {
  WallTime last_active{};
  Bytes size{};
  bool is_candidate = false;   // a limit may remove it
  bool can_be_undone = false;  // removing it makes undo impossible
};

struct ForgetLimits {
  std::optional<std::chrono::milliseconds> older_than{};
  std::optional<Bytes> keep_size{};  // all runs together
  bool is_all = false;               // every candidate
  bool with_undo = false;            // also runs that can be undone

  [[nodiscard]] bool is_empty() const { return !older_than && !keep_size && !is_all; }
};

// How many runs are kept only because they can be undone.
[[nodiscard]] std::size_t count_kept_for_undo(std::span<const OldRun> runs, ForgetLimits limits,
                                              WallTime now);

// Indexes into `runs`, oldest first. Chooses candidates that are too old, then the oldest ones
// until the remaining runs, candidates or not, fit in `keep_size`.
[[nodiscard]] std::vector<std::size_t> choose_forgotten(std::span<const OldRun> runs,
                                                        const ForgetLimits& limits, WallTime now);

}  // namespace tidemill::app
