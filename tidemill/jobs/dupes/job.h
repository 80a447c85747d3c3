// The job `dupes`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::dupes {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::dupes
