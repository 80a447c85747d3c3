// The job `docs`: its verb, and the entry points the program calls.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::docs {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::docs
