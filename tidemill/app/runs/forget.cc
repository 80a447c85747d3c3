#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/runs/forget_choice.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using command::Tone;
using command::ValueKind;
using run::RunFolder;
using text::printable;

ForgetLimits limits_of(const command::Values& values) {
  ForgetLimits limits{.older_than = values.duration("older-than"),
                      .keep_size = values.size("keep-size"),
                      .with_undo = values.is_on("with-undo")};
  limits.is_all = values.is_on("complete") && limits.is_empty();
  return limits;
}

Result<void> check(const command::Values& values) {
  const bool has_names = !values.argument("RUN").empty();
  const bool has_limit =
      values.has("older-than") || values.has("keep-size") || values.is_on("complete");
  if (!has_names && !has_limit) {
    return command::misuse("no run given",
                           "name runs, or use --older-than, --keep-size or --complete");
  }
  if (has_names && has_limit)
    return command::misuse("RUN cannot be used with --older-than, --keep-size or --complete");
  if (has_names && values.is_on("all-states")) {
    return command::misuse("RUN cannot be used with --all-states",
                           "omit --all-states; a run that you name is removed in any state");
  }
  if (values.is_on("all-states") && values.is_on("complete")) {
    return command::misuse("--complete cannot be used with --all-states");
  }
  return {};
}

// Finds all runs before the first is removed, because that changes the meaning of "last".
Result<std::vector<RunFolder>> named_runs(const cli::CliContext& cli) {
  std::vector<RunFolder> named;
  for (const std::string& which : cli.values.argument("RUN")) {
    LET(auto folder, cli.state.find_any(which));
    if (std::ranges::find(named, folder) == named.end()) named.push_back(std::move(folder));
  }
  return named;
}

struct Chosen {
  std::vector<RunFolder> runs{};
  std::size_t kept_for_undo = 0;  // kept only because they can be undone
};

bool can_be_undone(const cli::RunStatus& run_status, const App& app) {
  if (run_status.problem || !run_status.has_done_something()) return false;
  const jobs::Job* job = jobs::find_job(app.jobs, run_status.card.job);
  return job != nullptr && job->undo_help().has_value();
}

Result<Chosen> runs_beyond_limits(const cli::CliContext& cli, const App& app) {
  LET(auto folders, cli.state.list());
  LET(const auto finished, cli.state.list_finished());
  folders.insert(folders.end(), finished.begin(), finished.end());
  std::vector<OldRun> runs;
  for (const RunFolder& folder : folders) {
    const cli::RunStatus run_status = cli::run_status_at(folder);
    const bool may_go = cli.values.is_on("all-states") ? !run_status.problem && !run_status.holder
                                                       : run_status.is_settled();
    runs.push_back({.last_active = run_status.card.ended.value_or(run_status.card.started),
                    .size = folder.bytes(),
                    .is_candidate = may_go,
                    .can_be_undone = can_be_undone(run_status, app)});
  }
  const ForgetLimits limits = limits_of(cli.values);
  Chosen chosen;
  for (const std::size_t i : choose_forgotten(runs, limits, cli.clock.wall())) {
    chosen.runs.push_back(folders[i]);
  }
  chosen.kept_for_undo = count_kept_for_undo(runs, limits, cli.clock.wall());
  return chosen;
}

struct Removal {
  std::size_t runs = 0;
  Bytes bytes{};
  int code = cli::kDone;
};

// Reports a run that cannot be removed and continues with the others.
void remove_one(const RunFolder& folder, cli::CliContext& cli, const App& app, Removal& removal) {
  const Bytes size = folder.bytes();
  const bool is_dry = cli.values.is_on("dry-run");
  Result<void> removed;
  if (!cli.values.is_on("with-undo") && can_be_undone(cli::run_status_at(folder), app)) {
    removed = fail(Cure::give_up, "kept for undo", "use --with-undo to remove it");
  } else if (is_dry) {
    const auto holder = run::is_held(folder.lock());
    if (holder && *holder) {
      removed =
          fail(Cure::retry, FailureKind::held, "lock", "another process is working on this run");
    }
  } else {
    removed = cli.state.remove(folder.id(), cli.clock.wall());
  }
  if (!removed) {
    cli.console->say(Tone::bad,
                     printable(folder.id() + " not removed: " + text_of(removed.error())));
    const bool is_held = removed.error().kind == FailureKind::held;
    removal.code = is_held && removal.code != cli::kFailed ? cli::kHeldElsewhere : cli::kFailed;
    return;
  }
  ++removal.runs;
  removal.bytes += size;
  cli.console->say(Tone::plain, fmt::format("{} {} ({})", is_dry ? "would remove" : "removed",
                                            printable(folder.id()), text::bytes_text(size)));
}

}  // namespace

command::Verb describe_forget() {
  return {
      .name = "forget",
      .summary = "remove runs and what is stored about them",
      .usage = {"%program forget RUN... [OPTIONS]",
                "%program forget [--older-than TIME] [--keep-size SIZE] [OPTIONS]"},
      .examples = {{"%program forget 20261115-0431", "remove one run, whatever its state"},
                   {"%program forget --older-than 30d", "remove complete runs older than 30 days"},
                   {"%program forget --keep-size 1G -n", "print what would be removed"}},
      .description =
          {"Removes the journal of a run and everything else that is stored about it. The files "
           "that the run worked on are not touched. You cannot resume a run after that, nor retry "
           "its failed tasks.",
           "--older-than, --keep-size and --complete remove only runs that are complete and have "
           "no failed tasks, unless you give --all-states. A run that a process is working on is "
           "never removed. An unreadable run is removed only by name. With both limits, a run is "
           "removed if either applies; its age counts from when it last ended. --keep-size removes "
           "the oldest runs first, until all runs together are no larger than SIZE. Finished "
           "commands that are kept for their reports count as complete runs.",
           "undo needs the run of dupes that changed files. Such a run is removed only with "
           "--with-undo; otherwise forget prints how many it kept. A run that was undone is "
           "removed like any other.",
           std::string(kRunNames)},
      .arguments =
          {{.name = "RUN", .help = std::string(kRunHelp), .kind = ValueKind::run, .is_list = true}},
      .flags = {{.name = "older-than",
                 .kind = ValueKind::duration,
                 .metavar = "AGE",
                 .help = "remove runs that ended longer ago",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "keep-size",
                 .kind = ValueKind::size,
                 .metavar = "SIZE",
                 .help = "remove the oldest runs until all fit in SIZE",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "complete",
                 .help = "remove complete runs without failed tasks",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "all-states",
                 .help = "with a limit, also remove unfinished and failed runs",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "with-undo",
                 .help = "also remove runs of dupes that can still be undone",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "dry-run",
                 .letter = 'n',
                 .help = "print what would be removed and remove nothing",
                 .is_configurable = false,
                 .is_basic = true}}};
}

Result<int> run_forget(cli::CliContext& cli, const App& app) {
  TRY(check(cli.values));
  const bool has_names = !cli.values.argument("RUN").empty();
  Chosen chosen;
  if (has_names) {
    LET(chosen.runs, named_runs(cli));
  } else {
    LET(chosen, runs_beyond_limits(cli, app));
  }
  Removal removal;
  for (const RunFolder& folder : chosen.runs) remove_one(folder, cli, app, removal);
  if (chosen.kept_for_undo > 0) {
    cli.console->say(Tone::warning,
                     "kept " + text::counted(chosen.kept_for_undo, "run") +
                         " of dupes that can still be undone; use --with-undo to remove them (you "
                         "cannot undo them after that)");
  }
  cli.console->say(
      Tone::plain,
      fmt::format("{} {}, {}", cli.values.is_on("dry-run") ? "would remove" : "removed",
                  text::counted(removal.runs, "run"), text::bytes_text(removal.bytes)));
  return removal.code;
}

}  // namespace tidemill::app
