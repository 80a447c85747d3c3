// Plan: the steps for the groups of a scan. The first copy on this machine is kept; every name of
// the other local copies gets a step, unless it is in a reference root (reflink: one step per
// file). Steps that can be declined without looking at the files again are declined here.
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

[[nodiscard]] Site site_of(const FileName& name, const DupesOptions& options);

struct Planned {
  PlanStep step{};
  std::string declined{};  // the reason; empty: the step will be tried
};

// Ends early, and returns false, when `on_step` returns false.
[[nodiscard]] bool each_step(const Group& group, const DupesOptions& options,
                             const std::function<bool(Planned)>& on_step);

struct PlanTotals {
  std::uint64_t steps = 0;
  std::uint64_t declined = 0;
  std::uint64_t reclaimable = 0;  // bytes, of those not declined
  std::uint64_t unsure =
      0;  // steps that may be unable to share blocks; not included in reclaimable
};

// The dry run: writes a line per step to the console's output, with what would be done or why not,
// as far as that is known without reading contents. Changes nothing. Relative names are resolved
// against `directory`.
[[nodiscard]] Result<PlanTotals> show_plan(Groups& groups, const DupesOptions& options,
                                           const std::string& directory, command::Console& console);

// The same as a script for a POSIX shell. The script compares each pair with cmp, and then does
// what its first argument says: print, hardlink or delete.
[[nodiscard]] Result<PlanTotals> write_script(Groups& groups, const DupesOptions& options,
                                              const std::string& directory,
                                              command::Console& console);

}  // namespace tidemill::dupes
