// The verb `import`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::import {

[[nodiscard]] Result<int> run_import(cli::Desk& desk);

}  // namespace tidemill::import
