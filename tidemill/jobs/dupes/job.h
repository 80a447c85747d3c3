// The verb `dupes`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::dupes {

[[nodiscard]] Result<int> run_dupes(cli::Desk& desk);

}  // namespace tidemill::dupes
