#include <algorithm>
#include <charconv>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/app/verbs.h"
#include "tidemill/app/worker/worker_process.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/fleet/hash_recipe.h"
#include "tidemill/jobs/each/fleet/recipe.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {
namespace {

using command::Tone;
using command::ValueKind;

std::vector<const jobs::Recipe*> all_recipes() { return {&each::recipe(), &dupes::hash_recipe()}; }

bool is_recipe(const std::string& name) {
  for (const jobs::Recipe* recipe : all_recipes()) {
    if (recipe->name() == name) return true;
  }
  return false;
}

std::unexpected<Failure> unknown_recipe(std::string_view flag, const std::string& name) {
  std::string names;
  for (const jobs::Recipe* recipe : all_recipes()) {
    names += (names.empty() ? "" : ", ") + std::string(recipe->name());
  }
  return command::misuse("--" + std::string(flag) + ": no such job: " + command::in_quotes(name),
                         "jobs that run on a fleet: " + names);
}

Result<std::map<std::string, std::uint32_t>> limits_of(const command::Values& values) {
  std::map<std::string, std::uint32_t> limits;
  for (const std::string& text : values.texts("at-most")) {
    const std::size_t middle = text.find('=');
    const std::string name = text.substr(0, middle);
    std::uint32_t most = 0;
    const char* const end = text.data() + text.size();
    const bool is_pair = middle != std::string::npos;
    const auto read = std::from_chars(is_pair ? text.data() + middle + 1 : end, end, most);
    if (!is_pair || read.ec != std::errc() || read.ptr != end || most == 0) {
      return command::misuse("--at-most: expected JOB=N, got " + command::in_quotes(text));
    }
    if (!is_recipe(name)) return unknown_recipe("at-most", name);
    limits[name] = most;
  }
  return limits;
}

Result<WorkerProcess::Options> options_of(cli::CliContext& cli) {
  const command::Values& values = cli.values;
  WorkerProcess::Options options;
  options.places = static_cast<std::size_t>(values.count_of("jobs"));
  if (options.places == 0) options.places = std::max(1U, std::thread::hardware_concurrency());
  LET(options.map, fleet::root_map_of(values.texts("map")));
  LET(options.limits, limits_of(values));
  options.only = values.texts("only");
  for (const std::string& name : options.only) {
    if (!is_recipe(name)) return unknown_recipe("only", name);
  }
  options.until_idle = values.duration("until-idle");
  options.version = cli.program.version;
  LET(options.choice, redis_flags::fleet_of(values.text("fleet"), cli));
  options.folder = cli.state.path() + "/workers/" + options.choice.fleet;
  options.choice.client.name = "tidemill-worker";
  return options;
}

std::string text_of(const WorkerTotals& totals) {
  std::string text = text::counted(totals.done + totals.failed, "task") + " done here";
  if (totals.failed > 0) text += ", " + text::count_text(totals.failed) + " of them failed";
  if (totals.returned > 0) text += "; returned: " + text::count_text(totals.returned);
  if (totals.refused > 0) {
    text += "; reports that came too late: " + text::count_text(totals.refused);
  }
  if (totals.forged > 0) {
    text += "; parcels refused, because they were not signed with our key: " +
            text::count_text(totals.forged);
  }
  return text;
}

std::vector<command::Flag> worker_flags() {
  return {{.name = "fleet",
           .kind = ValueKind::text,
           .metavar = "redis:NAME",
           .help = "the fleet to work for",
           .is_basic = true},
          {.name = "jobs",
           .letter = 'j',
           .aliases = {"workers", "w"},
           .kind = ValueKind::count,
           .metavar = "N",
           .help = "tasks at once; 0 = all cores",
           .fallback = "0",
           .most = "1024",
           .is_basic = true},
          {.name = "map",
           .kind = ValueKind::text,
           .metavar = "NAME=FOLDER",
           .help = "where a folder of a run is on this host",
           .is_list = true,
           .is_basic = true},
          {.name = "only",
           .kind = ValueKind::text,
           .metavar = "JOB",
           .help = "work only on runs of this job",
           .is_list = true},
          {.name = "at-most",
           .kind = ValueKind::text,
           .metavar = "JOB=N",
           .help = "at most N tasks of this job at once",
           .is_list = true},
          {.name = "until-idle",
           .kind = ValueKind::duration,
           .metavar = "TIME",
           .help = "end after this time without a task"}};
}

// How many tasks will come is not known here: found are those that have ended or run.
engine::ProgressInputs progress_of(WorkerProcess::Seen seen, const std::string& fleet) {
  engine::ProgressInputs inputs{.counts = {.done = seen.totals.done, .failed = seen.totals.failed},
                                .workers = std::move(seen.rows)};
  const auto is_running = [](const engine::WorkerStats& row) { return row.running.has_value(); };
  const auto running = std::ranges::count_if(inputs.workers, is_running);
  inputs.counts.found = inputs.counts.settled() + static_cast<std::uint64_t>(running);
  if (seen.is_silent) inputs.waits_for = "the Redis server, which does not answer";
  if (running == 0) inputs.waits_for = "tasks on the fleet " + fleet;
  return inputs;
}

}  // namespace

command::Verb describe_worker() {
  command::Verb verb{
      .name = "worker",
      .summary = "work on the runs of a fleet",
      .usage = {"tidemill worker --fleet redis:NAME [OPTIONS]"},
      .examples = {{"tidemill worker --fleet redis:photos --redis redis://10.0.0.5",
                    "work on every run of the fleet, on all cores of this host"},
                   {"tidemill worker --fleet redis:photos -j 4 --map data=/mnt/data",
                    "four tasks at once; the folder data is mounted elsewhere here"},
                   {"tidemill worker --fleet redis:photos --until-idle 5m",
                    "end after five minutes without work, as a batch scheduler wants it"}},
      .description =
          {"Runs the tasks of all runs that were started with --fleet on the same fleet, until it "
           "is stopped. Free places go to the run that was served least for its --fleet-weight.",
           "A run is refused if it is not signed with the key of the fleet, if this version of the "
           "program cannot do its tasks, or if its folders are not the same on this host; "
           "`tidemill fleet status` shows why. A folder is the same if the kernel says so: on a "
           "shared "
           "file system, mounted at the same path or named with --map.",
           "At SIGTERM it ends its commands and returns all tasks within a second. After Ctrl-C, "
           "running commands get a moment to finish. Tasks of a worker that was killed run again "
           "elsewhere after 30 seconds, or as soon as the next worker of this user starts on this "
           "host."},
      .flags = worker_flags()};
  for (command::Flag& flag : redis_flags::fleet_flags("Redis")) {
    verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

Result<int> run_worker(cli::CliContext& cli) {
  if (cli.values.text("fleet").empty()) {
    return command::misuse("no fleet given", "use --fleet redis:NAME");
  }
  LET(auto options, options_of(cli));
  const auto address = options.choice.client.address;
  const std::string fleet_name = cli.values.text("fleet");
  LET(const auto log, cli::log_for(cli));
  cli::SignalScope signal_scope(cli);
  signal_scope.second_stop = cli::SecondStop::kills_tasks;
  auto process = WorkerProcess::make(
      std::move(options), {.recipes = all_recipes(),
                           .program = cli.program,
                           .console = signal_scope.console,
                           .clock = cli.clock,
                           .log = *log,
                           .stop = signal_scope.signals.stop(),
                           .kill = signal_scope.signals.kill(),
                           .is_typed = [&] { return signal_scope.signals.first() == SIGINT; }});
  if (!process) {
    return std::unexpected(
        redis_flags::with_advice(std::move(process).error(), address, fleet_name));
  }
  cli.console->say(Tone::plain, "Working for " + fleet_name + ".");
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return progress_of((*process)->seen(), fleet_name); },
          [&](const engine::ProgressSnapshot& seen) { signal_scope.console.show(seen); },
          cli.clock));
  auto totals = (*process)->run();
  reporter->finish();
  if (!totals) {
    return std::unexpected(
        redis_flags::with_advice(std::move(totals).error(), address, fleet_name));
  }
  cli.console->say(totals->failed > 0 ? Tone::warning : Tone::good, text_of(*totals) + ".");
  const int signal = signal_scope.signals.first();
  return signal == 0 ? cli::kDone : cli::exit_code_of(signal);
}

}  // namespace tidemill::app
