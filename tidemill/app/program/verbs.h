// The verbs of every program: completion and man.
#pragma once

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_completion();
[[nodiscard]] Result<int> run_completion(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_man(const App& app);
[[nodiscard]] Result<int> run_man(cli::CliContext& cli);

}  // namespace tidemill::app
