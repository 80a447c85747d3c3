// Working on a run of `batch`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::batch {

// The options with what the command line does not say: where the catalogue is.
[[nodiscard]] Result<Options> batch_options(const command::Values& values, const cli::Desk& desk);
[[nodiscard]] Result<Surroundings> batch_surroundings(const Options& options);

// For nothing_matched().
[[nodiscard]] cli::Selection selection_of(const Options& options);

// Answers the exit code.
[[nodiscard]] Result<int> batch_on(run::Run& run, const Options& options,
                                   const Surroundings& around, cli::Desk& desk, cli::Vigil& vigil);

}  // namespace tidemill::batch
