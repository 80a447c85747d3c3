// The fleet of one call of a verb whose tasks the workers of a fleet can do. What a call leaves
// undone goes on without a fleet or with another one: `resume` does not keep these flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::redis_flags {

// fleet, fleet-term, fleet-weight, and those of fleet_flags().
[[nodiscard]] std::vector<command::Flag> fleet_call_flags();

struct FleetCall {
  FleetChoice choice{};
  std::chrono::milliseconds term{};  // a worker that is silent for so long loses its tasks
  std::uint32_t weight = 1;          // its share of the places, beside other runs
};

// nullopt: without --fleet. `client`: the name of the connection ("tidemill-each").
[[nodiscard]] Result<std::optional<FleetCall>> fleet_call_of(const cli::CliContext& cli,
                                                             const std::string& client);

}  // namespace tidemill::redis_flags
