// What can be done about letters: run their tasks again, or drop them. Both take the run's lock.
#pragma once

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/letter_choice.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::app {

// The letters are taken back, and then exactly their tasks are run. When the process is killed in
// between, the tasks are pending and `resume` runs them. Answers the exit code of the run.
[[nodiscard]] Result<int> retry_letters(const run::RunFolder& folder, const LetterChoice& choice,
                                        cli::Desk& desk, const App& app);

// The tasks count as failed for ever.
[[nodiscard]] Result<int> drop_letters(const run::RunFolder& folder, const LetterChoice& choice,
                                       cli::Desk& desk);

}  // namespace tidemill::app
