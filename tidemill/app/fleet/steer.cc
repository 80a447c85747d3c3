#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/fleet/place.h"
#include "tidemill/app/fleet/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {
namespace {

using command::Tone;
using fleet::PublishedRun;
using Listing = fleet::FleetBoard::Listing;

constexpr auto kAnyAge = std::chrono::hours(1);

[[nodiscard]] std::unexpected<Failure> no_such_run(const std::string& typed, const Listing& listing,
                                                   const std::string& fleet) {
  std::vector<std::string> known;
  for (const auto& listed : listing.runs) {
    known.push_back(listed.run.id.empty() ? listed.run.name : listed.run.id);
  }
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = text::printable(typed),
                                 .reason = "no such run in the fleet " + command::in_quotes(fleet),
                                 .hint = command::did_you_mean(command::nearest(typed, known)) +
                                         "use tidemill fleet runs redis:" + fleet +
                                         " to list the runs"});
}

// The name of the run that the user typed by its name or id.
[[nodiscard]] Result<std::string> run_named(const std::string& typed, const Listing& listing,
                                            const std::string& fleet) {
  std::vector<std::string> names;
  for (const auto& listed : listing.runs) {
    if (listed.run.name == typed) return listed.run.name;
    if (listed.run.id == typed) names.push_back(listed.run.name);
  }
  if (names.empty()) return no_such_run(typed, listing, fleet);
  if (names.size() == 1) return names.front();
  std::string hint = "use its name:";
  for (const std::string& name : names) hint += " " + text::printable(name);
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = text::printable(typed),
      .reason = "more than one run in the fleet " + command::in_quotes(fleet) + " has this id",
      .hint = std::move(hint)});
}

// All names are looked up before the first run is changed.
Result<void> pause_runs(OpenBoard& open, bool is_paused, const cli::CliContext& cli) {
  LET(const auto listing, open.board().runs());
  const std::vector<std::string>& typed = cli.values.argument("RUN");
  std::vector<std::string> names;
  for (const std::string& text : typed) {
    LET(names.emplace_back(), run_named(text, listing, open.choice().fleet));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    TRY(open.board().pause(names[i], is_paused));
    cli.console->say(Tone::good,
                     (is_paused ? "Paused " : "Unpaused ") + text::printable(typed[i]) +
                         (is_paused ? "; workers finish the parcels that they hold." : "."));
  }
  return {};
}

Result<void> remove_runs(OpenBoard& open, bool /*is_on*/, const cli::CliContext& cli) {
  LET(const auto listing, open.board().runs());
  for (const std::string& typed : cli.values.argument("RUN")) {
    LET(const std::string name, run_named(typed, listing, open.choice().fleet));
    TRY(open.board().remove(name));
    cli.console->say(Tone::good, "Removed " + text::printable(typed) +
                                     " from the fleet; its journal is unchanged.");
  }
  return {};
}

[[nodiscard]] std::string drained_text(const std::string& host, bool has_workers) {
  return has_workers ? "Draining " + host + "; its workers finish the parcels that they hold."
                     : "Drained " + host + "; the fleet has no worker there now.";
}

Result<void> drain_hosts(OpenBoard& open, bool is_drained, const cli::CliContext& cli) {
  LET(const auto listing, open.board().runs());
  LET(const auto hosts, open.board().hosts(kAnyAge));
  for (const std::string& host : cli.values.argument("HOST")) {
    const std::string name = text::printable(host);
    TRY(open.board().drain(host, is_drained));
    if (is_drained) {
      const bool has_workers = std::ranges::any_of(
          hosts, [&](const auto& announced) { return announced.host.host == host; });
      cli.console->say(has_workers ? Tone::good : Tone::warning, drained_text(name, has_workers));
    } else {
      const bool was_drained = std::ranges::find(listing.drained, host) != listing.drained.end();
      cli.console->say(was_drained ? Tone::good : Tone::warning,
                       was_drained ? "Undrained " + name + "; its workers take tasks again."
                                   : name + " was not drained.");
    }
  }
  return {};
}

using Steer = Result<void> (*)(OpenBoard& open, bool is_on, const cli::CliContext& cli);

Result<int> steer(cli::CliContext& cli, Steer steer, bool is_on) {
  LET(const auto open, OpenBoard::open(cli));
  TRY(open->advised(steer(*open, is_on, cli)));
  return cli::kDone;
}

command::Verb describe_steering(const std::string& name, const std::string& what,
                                const std::string& help) {
  return {.name = "fleet " + name,
          .usage = {"tidemill fleet " + name + " FLEET " + what + "... [OPTIONS]"},
          .arguments = {fleet_argument(),
                        {.name = what,
                         .help = help,
                         .kind = command::ValueKind::text,
                         .is_required = true,
                         .is_list = true}},
          .flags = redis_flags::fleet_view_flags("")};
}

constexpr const char* kRunHelp = "runs, as listed by tidemill fleet runs";
constexpr const char* kHostHelp = "hosts, as listed by tidemill fleet hosts";

}  // namespace

command::Verb describe_fleet_pause() {
  command::Verb verb = describe_steering("pause", "RUN", kRunHelp);
  verb.summary = "let no worker take tasks of a run";
  verb.examples = {{"tidemill fleet pause redis:films 20261119-0331", "pause a run"}};
  verb.description = {
      "Workers finish the parcels that they hold. The run continues with "
      "`tidemill fleet unpause`; its coordinator keeps waiting."};
  return verb;
}

command::Verb describe_fleet_unpause() {
  command::Verb verb = describe_steering("unpause", "RUN", kRunHelp);
  verb.summary = "let workers take tasks of a paused run again";
  verb.examples = {{"tidemill fleet unpause redis:films 20261119-0331", "continue a run"}};
  return verb;
}

command::Verb describe_fleet_remove() {
  command::Verb verb = describe_steering("remove", "RUN", kRunHelp);
  verb.summary = "remove a run whose coordinator will not return";
  verb.examples = {{"tidemill fleet remove redis:films 20261119-0331",
                    "after the run was resumed without the fleet"}};
  verb.description = {
      "Workers end the tasks of the run, and its parcels and results are removed from Redis. The "
      "run itself is in its journal, on the host of the coordinator: what is not recorded there "
      "runs again when it is resumed. A coordinator that still runs publishes its run again."};
  return verb;
}

command::Verb describe_fleet_drain() {
  command::Verb verb = describe_steering("drain", "HOST", kHostHelp);
  verb.summary = "let the workers of a host take no more tasks";
  verb.examples = {{"tidemill fleet drain redis:films nas2", "before maintenance of a host"}};
  verb.description = {
      "The workers of the host finish the parcels that they hold, and keep "
      "running. A host stays drained until `tidemill fleet undrain`, also for "
      "workers that start there later."};
  return verb;
}

command::Verb describe_fleet_undrain() {
  command::Verb verb = describe_steering("undrain", "HOST", kHostHelp);
  verb.summary = "let the workers of a drained host take tasks again";
  verb.examples = {{"tidemill fleet undrain redis:films nas2", "after its maintenance"}};
  return verb;
}

Result<int> run_fleet_pause(cli::CliContext& cli) { return steer(cli, pause_runs, true); }

Result<int> run_fleet_unpause(cli::CliContext& cli) { return steer(cli, pause_runs, false); }

Result<int> run_fleet_remove(cli::CliContext& cli) { return steer(cli, remove_runs, true); }

Result<int> run_fleet_drain(cli::CliContext& cli) { return steer(cli, drain_hosts, true); }

Result<int> run_fleet_undrain(cli::CliContext& cli) { return steer(cli, drain_hosts, false); }

}  // namespace tidemill::app
