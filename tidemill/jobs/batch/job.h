// The job `batch`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/nothing_matched.h"

namespace tidemill::batch {

[[nodiscard]] const jobs::Job& job();

// Where files are looked for, for nothing_matched(): also of `tokens`.
[[nodiscard]] cli::Selection selection_of(const Options& options);

}  // namespace tidemill::batch
