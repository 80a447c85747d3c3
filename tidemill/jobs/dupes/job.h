// The job `dupes`: its verb and the functions of jobs::Job.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::dupes {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::dupes
