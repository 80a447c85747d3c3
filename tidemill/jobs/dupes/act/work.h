// What follows a search for duplicates: the plan is shown, or done as a run; and such a run is
// taken up again or taken back.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::dupes {

// What became of steps, for a screen that lists them.
[[nodiscard]] inline term::ItemWords step_words() { return {.bad = "skipped"}; }

// They answer the exit code. Without --apply nothing is changed.
// The run that acts takes over from `recording`, the record of the search. `values` are those of
// the command that started the run.
[[nodiscard]] Result<int> act_on(Groups& groups, const Options& options, cli::Desk& desk,
                                 cli::Vigil& vigil, command::Context& context,
                                 cli::Recording& recording);
[[nodiscard]] Result<int> resume_dupes(run::Run& run, const command::Values& values,
                                       cli::Desk& desk, cli::Vigil& vigil);
[[nodiscard]] Result<int> undo_dupes(run::Run& run, cli::Desk& desk, cli::Vigil& vigil);

// Temporary names that steps have left in the folders of the duplicates, as `check` tells them.
[[nodiscard]] Result<std::vector<std::string>> leftovers_text(const cli::Glance& glance);

}  // namespace tidemill::dupes
