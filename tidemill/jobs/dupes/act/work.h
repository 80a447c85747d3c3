// The part of the job after the search: shows the plan or executes it as a run, and resumes or
// undoes such a run.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::dupes {

// The words for outcomes of steps, for a screen that lists them.
[[nodiscard]] inline term::ItemWords step_words() { return {.bad = "skipped"}; }

// All three return the exit code. Without --apply nothing is changed. The run of the actions
// replaces `recording`, the record of the search. `values` are the values that the resumed run
// continues with.
[[nodiscard]] Result<int> act_on(Groups& groups, const DupesOptions& options, cli::CliContext& cli,
                                 cli::SignalScope& signal_scope, command::Context& context,
                                 cli::Recording& recording);
[[nodiscard]] Result<int> resume_dupes(run::Run& run, const command::Values& values,
                                       cli::CliContext& cli, cli::SignalScope& signal_scope);
[[nodiscard]] Result<int> undo_dupes(run::Run& run, cli::CliContext& cli,
                                     cli::SignalScope& signal_scope);

// The temporary names that steps have left in the folders they worked in, as texts for `check`.
[[nodiscard]] Result<std::vector<std::string>> leftovers_text(const cli::RunStatus& run_status);

}  // namespace tidemill::dupes
