// The verb `books`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::books {

[[nodiscard]] command::Verb describe_books();
[[nodiscard]] Result<int> run_books(cli::Desk& desk);

}  // namespace tidemill::books
