// The subverbs of `tidemill fleet`.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// view.cc
[[nodiscard]] command::Verb describe_fleet_status();
[[nodiscard]] Result<int> run_fleet_status(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_runs();
[[nodiscard]] Result<int> run_fleet_runs(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_hosts();
[[nodiscard]] Result<int> run_fleet_hosts(cli::CliContext& cli);

// steer.cc
[[nodiscard]] command::Verb describe_fleet_pause();
[[nodiscard]] Result<int> run_fleet_pause(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_unpause();
[[nodiscard]] Result<int> run_fleet_unpause(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_remove();
[[nodiscard]] Result<int> run_fleet_remove(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_drain();
[[nodiscard]] Result<int> run_fleet_drain(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_fleet_undrain();
[[nodiscard]] Result<int> run_fleet_undrain(cli::CliContext& cli);

// key.cc
[[nodiscard]] command::Verb describe_fleet_key();
[[nodiscard]] Result<int> run_fleet_key(cli::CliContext& cli);

}  // namespace tidemill::app
