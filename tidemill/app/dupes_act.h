// What follows a search for duplicates: the plan is shown, or done as a run; and such a run is
// taken up again or taken back.
#pragma once

#include "tidemill/app/desk.h"
#include "tidemill/app/recorded.h"
#include "tidemill/app/work.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::app {

// What became of steps, for a screen that lists them.
[[nodiscard]] inline term::ItemWords step_words() { return {.bad = "declined"}; }

// They answer the exit code. Without --apply nothing is changed.
// The run that acts takes over from `recording`, the record of the search. `values` are those of
// the command that started the run.
[[nodiscard]] Result<int> act_on(dupes::Groups& groups, const dupes::Options& options, Desk& desk,
                                 Vigil& vigil, command::Context& context, Recording& recording);
[[nodiscard]] Result<int> resume_dupes(run::Run& run, const command::Values& values, Desk& desk,
                                       Vigil& vigil);

}  // namespace tidemill::app
