// The verbs of tidemill that are neither jobs nor run management, and `serve`, which needs more of
// the program than those in app/runs.
#pragma once

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_tokens();
[[nodiscard]] Result<int> run_tokens(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_queue();
[[nodiscard]] Result<int> run_queue(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet();
[[nodiscard]] Result<int> run_fleet(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_worker();
[[nodiscard]] Result<int> run_worker(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue();
[[nodiscard]] Result<int> run_catalogue(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_serve(const App& app);
[[nodiscard]] Result<int> run_serve(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_doctor();
[[nodiscard]] Result<int> run_doctor(cli::CliContext& cli);

}  // namespace tidemill::app
