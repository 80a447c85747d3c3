// The actions on dead letters: run their tasks again, or drop them. Both take the run's lock.
#pragma once

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/failure_choice.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::app {

// Makes the tasks of the dead letters pending and runs exactly these. If the process is killed in
// between, the tasks stay pending and `resume` runs them. Returns the exit code of the run.
[[nodiscard]] Result<int> retry_failures(const run::RunFolder& folder, const FailureChoice& choice,
                                         cli::CliContext& cli, const App& app);

// Marks the tasks as abandoned.
[[nodiscard]] Result<int> drop_failures(const run::RunFolder& folder, const FailureChoice& choice,
                                        cli::CliContext& cli);

}  // namespace tidemill::app
