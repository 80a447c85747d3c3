// What follows a search for duplicates: the plan is shown, or done as a run; and such a run is
// taken up again or taken back.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/cli/desk.h"
#include "tidemill/cli/recorded.h"
#include "tidemill/cli/work.h"
#include "tidemill/command/context.h"
#include "tidemill/durable/run.h"
#include "tidemill/jobs/dupes/group.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/term/screen_model.h"

namespace tidemill::cli {

// What became of steps, for a screen that lists them.
[[nodiscard]] inline term::ItemWords step_words() { return {.bad = "declined"}; }

// They answer the exit code. Without --apply nothing is changed.
// The run that acts takes over from `recording`, the record of the search. `values` are those of
// the command that started the run.
[[nodiscard]] Result<int> act_on(dupes::Groups& groups, const dupes::Options& options, Desk& desk,
                                 Vigil& vigil, command::Context& context, Recording& recording);
[[nodiscard]] Result<int> resume_dupes(durable::Run& run, const command::Values& values, Desk& desk,
                                       Vigil& vigil);

}  // namespace tidemill::cli
