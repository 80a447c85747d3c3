// The job `each`, as the program sees it (jobs/job.h).
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::each {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::each
