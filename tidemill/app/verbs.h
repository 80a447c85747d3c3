// The verbs of tidemill that are neither jobs nor about runs.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_tokens();
[[nodiscard]] Result<int> run_tokens(cli::Desk& desk);
[[nodiscard]] command::Verb describe_queue();
[[nodiscard]] Result<int> run_queue(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue();
[[nodiscard]] Result<int> run_catalogue(cli::Desk& desk);
[[nodiscard]] command::Verb describe_doctor();
[[nodiscard]] Result<int> run_doctor(cli::Desk& desk);

}  // namespace tidemill::app
