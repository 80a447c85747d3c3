// Working on a run of `each`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include "tidemill/app/desk.h"
#include "tidemill/app/nothing_matched.h"
#include "tidemill/app/work.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/each/each.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/state/run/run.h"

namespace tidemill::app {

// Answers the exit code.
[[nodiscard]] Result<int> work_on(run::Run& run, const each::Options& options,
                                  const each::Assignment& assignment, Desk& desk, Vigil& vigil);

// For nothing_matched().
[[nodiscard]] Selection selection_of(const each::Options& options);

}  // namespace tidemill::app
