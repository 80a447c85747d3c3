#include "tidemill/ui/redis_flags/fleet_call.h"

#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::redis_flags {

using command::Flag;
using command::ValueKind;

std::vector<Flag> fleet_call_flags() {
  const std::string group = "On several hosts";
  std::vector<Flag> flags = {{.name = "fleet",
                              .kind = ValueKind::text,
                              .metavar = "redis:NAME",
                              .help = "let the workers of this fleet do the work",
                              .is_configurable = false,
                              .group = group,
                              .is_basic = true},
                             {.name = "fleet-term",
                              .kind = ValueKind::duration,
                              .metavar = "TIME",
                              .help = "a worker that is silent for this time loses its tasks",
                              .fallback = "30s",
                              .group = group,
                              .least = "1s"},
                             {.name = "fleet-weight",
                              .kind = ValueKind::count,
                              .metavar = "N",
                              .help = "share of the workers' places, beside other runs",
                              .fallback = "1",
                              .group = group,
                              .least = "1",
                              .most = "1000"}};
  for (Flag& flag : fleet_flags(group)) {
    flag.is_basic = false;
    flags.push_back(std::move(flag));
  }
  for (Flag& flag : flags) flag.is_of_call = true;
  return flags;
}

Result<std::optional<FleetCall>> fleet_call_of(const cli::CliContext& cli,
                                               const std::string& client) {
  const std::string typed = cli.values.text("fleet");
  if (typed.empty()) return std::optional<FleetCall>();
  FleetCall call{.term = cli.values.duration_of("fleet-term"),
                 .weight = static_cast<std::uint32_t>(cli.values.count_of("fleet-weight"))};
  LET(call.choice, fleet_of(typed, cli));
  call.choice.client.name = client;
  return std::optional(std::move(call));
}

}  // namespace tidemill::redis_flags
