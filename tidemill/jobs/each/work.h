// Working on a run of `each`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/each.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::each {

// Answers the exit code.
[[nodiscard]] Result<int> work_on(run::Run& run, const Options& options,
                                  const Assignment& assignment, cli::Desk& desk, cli::Vigil& vigil);

// For nothing_matched().
[[nodiscard]] cli::Selection selection_of(const Options& options);

}  // namespace tidemill::each
