// What follows a search for duplicates: the plan is shown, or done as a run; and such a run is
// taken up again or taken back.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/cli/desk.h"
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
[[nodiscard]] Result<int> act_on(dupes::Groups& groups, const dupes::Options& options, Desk& desk,
                                 Vigil& vigil, command::Context& context);
[[nodiscard]] Result<int> resume_dupes(durable::Run& run, Desk& desk, Vigil& vigil);

}  // namespace tidemill::cli
