// The job `books`: its verb, and the entry points the program calls.
#pragma once

#include "tidemill/jobs/job.h"

namespace tidemill::books {

[[nodiscard]] const jobs::Job& job();

}  // namespace tidemill::books
