// The verb `docs`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::docs {

[[nodiscard]] Result<int> run_docs(cli::Desk& desk);

}  // namespace tidemill::docs
