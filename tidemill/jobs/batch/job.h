// The verb `batch`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::batch {

[[nodiscard]] Result<int> run_batch(cli::Desk& desk);

}  // namespace tidemill::batch
