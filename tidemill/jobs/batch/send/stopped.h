// stopped(): the Failure of an operation that was stopped. Nothing is lost: the run can be resumed.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::batch {

[[nodiscard]] inline std::unexpected<Failure> stopped() {
  return fail(Cure::resume, "stop", "stopped");
}

}  // namespace tidemill::batch
