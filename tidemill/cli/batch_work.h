// Working on a run of `batch`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/cli/desk.h"
#include "tidemill/cli/nothing_matched.h"
#include "tidemill/cli/work.h"
#include "tidemill/durable/run.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/options.h"

namespace tidemill::cli {

// The options with what the command line does not say: where the catalogue is.
[[nodiscard]] Result<batch::Options> batch_options(const command::Values& values, const Desk& desk);
[[nodiscard]] Result<batch::Surroundings> batch_surroundings(const batch::Options& options);

// For nothing_matched().
[[nodiscard]] Selection selection_of(const batch::Options& options);

// Answers the exit code.
[[nodiscard]] Result<int> batch_on(durable::Run& run, const batch::Options& options,
                                   const batch::Surroundings& around, Desk& desk, Vigil& vigil);

}  // namespace tidemill::cli
