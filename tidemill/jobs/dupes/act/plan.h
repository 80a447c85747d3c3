// Plan: which steps the groups of a scan ask for. The first copy on this machine is kept; every
// name of the others that is not in a reference root gets a step (reflink: every file). What can be
// said without looking at a file again is said here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/act/plan_step.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::dupes {

[[nodiscard]] Site site_of(const Name& name, const Options& options);

struct Planned {
  Step step{};
  std::string declined{};  // why it will not be done; empty: it will be tried
};

// False from `on_step` ends it; so it says itself.
[[nodiscard]] bool each_step(const Group& group, const Options& options,
                             const std::function<bool(Planned)>& on_step);

struct PlanTotals {
  std::uint64_t steps = 0;
  std::uint64_t declined = 0;
  std::uint64_t wins = 0;    // bytes, of those not declined
  std::uint64_t unsure = 0;  // of these nobody could say whether they can share blocks: not in wins
};

// The dry run: a line a step on the console's output, with what would be done or why not, as far as
// this can be said without reading contents. Nothing is changed. `directory`: where relative names
// begin.
[[nodiscard]] Result<PlanTotals> show_plan(Groups& groups, const Options& options,
                                           const std::string& directory, command::Console& console);

// The same as a script for a POSIX shell, which compares each pair with cmp before it does what its
// first argument says: print, hardlink or delete.
[[nodiscard]] Result<PlanTotals> write_script(Groups& groups, const Options& options,
                                              const std::string& directory,
                                              command::Console& console);

}  // namespace tidemill::dupes
