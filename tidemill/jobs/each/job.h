// The verb `each`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::each {

[[nodiscard]] Result<int> run_each(cli::Desk& desk);

}  // namespace tidemill::each
