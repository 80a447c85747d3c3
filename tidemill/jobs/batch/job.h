// The job `batch`: its verb, and the entry points the program calls.
#pragma once

#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/nothing_matched.h"

namespace tidemill::batch {

[[nodiscard]] const jobs::Job& job();

// Where files are searched for, as input to nothing_matched(). Also used by `tokens`.
[[nodiscard]] cli::Selection selection_of(const BatchOptions& options);

}  // namespace tidemill::batch
