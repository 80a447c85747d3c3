#include <array>

#include "tidemill/app/fleet/verbs.h"
#include "tidemill/app/verbs.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

struct FleetEntry {
  command::Verb (*describe)();
  Result<int> (*run)(cli::CliContext& cli);
};

constexpr std::array kBelow{
    FleetEntry{.describe = describe_fleet_status, .run = run_fleet_status},
    FleetEntry{.describe = describe_fleet_runs, .run = run_fleet_runs},
    FleetEntry{.describe = describe_fleet_hosts, .run = run_fleet_hosts},
    FleetEntry{.describe = describe_fleet_pause, .run = run_fleet_pause},
    FleetEntry{.describe = describe_fleet_unpause, .run = run_fleet_unpause},
    FleetEntry{.describe = describe_fleet_remove, .run = run_fleet_remove},
    FleetEntry{.describe = describe_fleet_drain, .run = run_fleet_drain},
    FleetEntry{.describe = describe_fleet_undrain, .run = run_fleet_undrain},
    FleetEntry{.describe = describe_fleet_key, .run = run_fleet_key},
};

}  // namespace

command::Verb describe_fleet() {
  command::Verb verb{
      .name = "fleet",
      .summary = "show and steer runs that use many hosts",
      .usage = {"tidemill fleet status|runs|hosts FLEET [OPTIONS]",
                "tidemill fleet pause|unpause|remove FLEET RUN... [OPTIONS]",
                "tidemill fleet drain|undrain FLEET HOST... [OPTIONS]",
                "tidemill fleet key [FILE]"},
      .examples = {{"tidemill fleet key", "create a key for the hosts of a fleet"},
                   {"tidemill fleet status redis:films", "show the runs and the hosts"},
                   {"tidemill fleet drain redis:films nas2", "let a host finish its work"}},
      .description = {"A fleet is a set of hosts that work on the same runs. Its processes meet "
                      "in a Redis server, under the name of the fleet."},
  };
  for (const FleetEntry& entry : kBelow) verb.below.push_back(entry.describe());
  return verb;
}

Result<int> run_fleet(cli::CliContext& cli) {
  for (const FleetEntry& entry : kBelow) {
    if (entry.describe().name == cli.values.verb) return entry.run(cli);
  }
  return command::misuse(
      "no subcommand given",
      "use status, runs, hosts, pause, unpause, remove, drain, undrain or key; see "
      "tidemill fleet --help");
}

}  // namespace tidemill::app
