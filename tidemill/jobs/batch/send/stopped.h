// stopped(): the failure of whoever was told to stop. Nothing is lost: the run goes on another
// time.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::batch {

[[nodiscard]] inline std::unexpected<Failure> stopped() {
  return fail(Cure::resume, "stop", "stopped");
}

}  // namespace tidemill::batch
