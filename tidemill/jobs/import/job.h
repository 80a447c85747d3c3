// The job `import`: its verb and the functions of jobs::Job.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::import {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::import
