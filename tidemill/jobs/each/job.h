// The job `each`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::each {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::each
