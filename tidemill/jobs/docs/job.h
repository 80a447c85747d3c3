// The job `docs`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::docs {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::docs
