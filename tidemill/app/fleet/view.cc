#include <chrono>
#include <utility>
#include <vector>

#include "tidemill/app/fleet/place.h"
#include "tidemill/app/fleet/text.h"
#include "tidemill/app/fleet/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {
namespace {

using command::Tone;

constexpr auto kShown = std::chrono::hours(1);  // hosts that left without a word

struct FleetTables {
  bool has_runs = true;
  bool has_hosts = true;
};

Result<FleetView> view_of(OpenBoard& open, const FleetTables& shown) {
  FleetView view{.fleet = open.choice().fleet, .is_verified = open.is_verified()};
  LET(auto listing, open.board().runs());
  view.drained = std::move(listing.drained);
  std::vector<FleetRunRow> rows;
  for (auto& listed : listing.runs) {
    view.known.push_back(listed.run);
    if (!shown.has_runs) continue;
    FleetRunRow row{.listed = std::move(listed)};
    if (row.listed.is_genuine) {
      LET(row.window, open.board().window(row.listed.run));
    }
    rows.push_back(std::move(row));
  }
  if (shown.has_runs) view.runs = std::move(rows);
  if (shown.has_hosts) {
    LET(view.hosts, open.board().hosts(kShown));
  }
  return view;
}

// The tables and the JSON say the same.
void warn(const FleetView& view, const cli::CliContext& cli) {
  if (cli.is_quiet || !view.runs || view.runs->empty()) return;
  if (!view.is_verified) {
    const std::string file = redis_flags::key_file(cli);
    const std::string where = file.empty() ? "" : ": no such file: " + text::printable(file);
    cli.console->say(Tone::warning, "The signatures of the runs were not verified" + where +
                                        "\n  hint: use --fleet-key FILE");
    return;
  }
  for (const FleetRunRow& row : *view.runs) {
    if (row.listed.is_genuine) continue;
    cli.console->say(Tone::warning,
                     "The run " + command::in_quotes(row.listed.run.name) +
                         " is not signed with this key; workers with this key do not run it.");
  }
}

Result<int> show(cli::CliContext& cli, const FleetTables& shown) {
  LET(const auto open, OpenBoard::open(cli));
  LET(const auto view, open->advised(view_of(*open, shown)));
  if (cli.values.is_on("json")) {
    TRY(cli.console->out(json_of(view)));
  } else {
    const std::string text = text_of(view, cli::columns_of(1));
    if (text.empty() && !cli.is_quiet) {
      const char* what = !shown.has_hosts ? "runs" : !shown.has_runs ? "hosts" : "runs or hosts";
      cli.console->say(Tone::warning, "No " + std::string(what) + " in the fleet " +
                                          command::in_quotes(view.fleet) +
                                          ".\n  hint: check the name and --redis");
    }
    TRY(cli.console->out(text));
  }
  warn(view, cli);
  return cli::kDone;
}

command::Verb describe_view(const std::string& what) {
  command::Verb verb{.name = "fleet " + what,
                     .usage = {"tidemill fleet " + what + " FLEET [OPTIONS]"},
                     .arguments = {fleet_argument()},
                     .flags = redis_flags::fleet_view_flags("")};
  verb.flags.push_back({.name = "json",
                        .help = "print one JSON object",
                        .is_configurable = false,
                        .is_basic = true});
  return verb;
}

constexpr const char* kAboutRuns =
    "Runs: the host of the coordinator, the job with its version, and the state: running, paused, "
    "silent (no sign of its coordinator for a minute), starting (Redis does not have "
    "its tasks yet, or no longer) or unsigned (not signed with this key). WAITING, HELD and "
    "RESULTS are parcels of tasks: not yet taken by a worker, taken, "
    "and reported. FORGED, if it is shown, counts parcels and results that were removed because "
    "their signature was not valid.";
constexpr const char* kAboutHosts =
    "Hosts: one line per worker process, with the tasks that it is running (BUSY) and can run at "
    "once (PLACES), and those that it has ended. A worker that refuses a run is listed with the "
    "reason. A process that was last seen an hour ago is no longer listed.";

}  // namespace

command::Verb describe_fleet_status() {
  command::Verb verb = describe_view("status");
  verb.summary = "show the runs and the hosts of a fleet";
  verb.examples = {{"tidemill fleet status redis:films", "a fleet on the local Redis server"},
                   {"tidemill fleet status redis:films --redis rediss://queue.example.com",
                    "on another server, through TLS"}};
  verb.description = {kAboutRuns, kAboutHosts};
  return verb;
}

command::Verb describe_fleet_runs() {
  command::Verb verb = describe_view("runs");
  verb.summary = "list the runs of a fleet";
  verb.examples = {{"tidemill fleet runs redis:films", "a line per run"}};
  verb.description = {kAboutRuns};
  return verb;
}

command::Verb describe_fleet_hosts() {
  command::Verb verb = describe_view("hosts");
  verb.summary = "list the worker processes of a fleet";
  verb.examples = {{"tidemill fleet hosts redis:films", "a line per process"}};
  verb.description = {kAboutHosts};
  return verb;
}

Result<int> run_fleet_status(cli::CliContext& cli) { return show(cli, {}); }

Result<int> run_fleet_runs(cli::CliContext& cli) { return show(cli, {.has_hosts = false}); }

Result<int> run_fleet_hosts(cli::CliContext& cli) { return show(cli, {.has_runs = false}); }

}  // namespace tidemill::app
