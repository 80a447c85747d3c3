#include "tidemill/app/runs/forget_choice.h"

#include <algorithm>
#include <utility>

namespace tidemill::app {

std::vector<std::size_t> choose_forgotten(std::span<const OldRun> runs, const ForgetLimits& limits,
                                          WallTime now) {
  std::vector<std::size_t> candidates;
  Bytes all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    all += runs[i].size;
    const bool may_go = limits.with_undo || !runs[i].can_be_undone;
    if (runs[i].is_candidate && may_go) candidates.push_back(i);
  }
  std::ranges::sort(candidates, {},
                    [&](std::size_t i) { return std::pair(runs[i].last_active, i); });
  std::vector<std::size_t> chosen;
  for (const std::size_t i : candidates) {
    const bool is_too_old = limits.older_than && now - runs[i].last_active > *limits.older_than;
    const bool is_too_much = limits.keep_size && all > *limits.keep_size;
    if (!limits.is_all && !is_too_old && !is_too_much) continue;
    chosen.push_back(i);
    all -= runs[i].size;
  }
  return chosen;
}

std::size_t count_kept_for_undo(std::span<const OldRun> runs, ForgetLimits limits, WallTime now) {
  if (limits.with_undo) return 0;
  limits.with_undo = true;
  const auto chosen = choose_forgotten(runs, limits, now);
  return static_cast<std::size_t>(
      std::ranges::count_if(chosen, [&](std::size_t i) { return runs[i].can_be_undone; }));
}

}  // namespace tidemill::app
