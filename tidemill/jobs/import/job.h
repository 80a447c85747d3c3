// The job `import`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::import {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::import
