// Working on a run of `batch`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include "tidemill/app/desk.h"
#include "tidemill/app/nothing_matched.h"
#include "tidemill/app/work.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/state/run/run.h"

namespace tidemill::app {

// The options with what the command line does not say: where the catalogue is.
[[nodiscard]] Result<batch::Options> batch_options(const command::Values& values, const Desk& desk);
[[nodiscard]] Result<batch::Surroundings> batch_surroundings(const batch::Options& options);

// For nothing_matched().
[[nodiscard]] Selection selection_of(const batch::Options& options);

// Answers the exit code.
[[nodiscard]] Result<int> batch_on(run::Run& run, const batch::Options& options,
                                   const batch::Surroundings& around, Desk& desk, Vigil& vigil);

}  // namespace tidemill::app
