// The verbs of this folder.
#pragma once

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_completion();
[[nodiscard]] Result<int> run_completion(cli::Desk& desk);
[[nodiscard]] command::Verb describe_man(const App& app);
[[nodiscard]] Result<int> run_man(cli::Desk& desk);

}  // namespace tidemill::app
