// The job `books`: its verb, and what the program asks of it.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::books {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::books
