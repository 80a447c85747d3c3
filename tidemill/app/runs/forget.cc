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
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using command::Kind;
using command::Tone;
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

// All of them are found before the first goes: "last" is another run afterwards.
Result<std::vector<RunFolder>> named_runs(const cli::Desk& desk) {
  std::vector<RunFolder> named;
  for (const std::string& which : desk.values.argument("RUN")) {
    LET(auto folder, desk.state.find(which));
    if (std::ranges::find(named, folder) == named.end()) named.push_back(std::move(folder));
  }
  return named;
}

struct Chosen {
  std::vector<RunFolder> runs{};
  std::size_t kept_for_undo = 0;  // would go, if they were not the way back
};

bool can_be_undone(const cli::Glance& glance, const App& app) {
  if (glance.problem || !glance.has_done_something()) return false;
  const jobs::Job* job = jobs::find_job(app.jobs, glance.card.job);
  return job != nullptr && job->undo_help().has_value();
}

Result<Chosen> runs_beyond_limits(const cli::Desk& desk, const App& app) {
  LET(const auto folders, desk.state.list());
  std::vector<OldRun> runs;
  for (const RunFolder& folder : folders) {
    const cli::Glance glance = cli::glance_at(folder);
    const bool may_go =
        desk.values.is_on("all-states") ? !glance.problem && !glance.holder : glance.is_settled();
    runs.push_back({.last_active = glance.card.ended.value_or(glance.card.started),
                    .size = folder.bytes(),
                    .is_candidate = may_go,
                    .can_be_undone = can_be_undone(glance, app)});
  }
  const ForgetLimits limits = limits_of(desk.values);
  Chosen chosen;
  for (const std::size_t i : choose_forgotten(runs, limits, desk.clock.wall())) {
    chosen.runs.push_back(folders[i]);
  }
  chosen.kept_for_undo = count_kept_for_undo(runs, limits, desk.clock.wall());
  return chosen;
}

struct Removal {
  std::size_t runs = 0;
  Bytes bytes{};
  int code = cli::kDone;
};

// A run that cannot be removed is told of, and the others go all the same.
void remove_one(const RunFolder& folder, cli::Desk& desk, const App& app, Removal& removal) {
  const Bytes size = folder.bytes();
  const bool is_dry = desk.values.is_on("dry-run");
  Result<void> removed;
  if (!desk.values.is_on("with-undo") && can_be_undone(cli::glance_at(folder), app)) {
    removed = fail(Cure::give_up, "kept for undo", "use --with-undo to remove it");
  } else if (is_dry) {
    const auto holder = run::is_held(folder.lock());
    if (holder && *holder) {
      removed =
          fail(Cure::retry, FailureKind::held, "lock", "another process is working on this run");
    }
  } else {
    removed = desk.state.remove(folder.id(), desk.clock.wall());
  }
  if (!removed) {
    desk.console->say(Tone::bad,
                      printable(folder.id() + " not removed: " + text_of(removed.error())));
    const bool is_held = removed.error().kind == FailureKind::held;
    removal.code = is_held && removal.code != cli::kFailed ? cli::kHeldElsewhere : cli::kFailed;
    return;
  }
  ++removal.runs;
  removal.bytes += size;
  desk.console->say(Tone::plain, fmt::format("{} {} ({})", is_dry ? "would remove" : "removed",
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
           "the oldest runs first, until all runs together are no larger than SIZE.",
           "undo needs the run of dupes that changed files. Such a run is removed only with "
           "--with-undo; otherwise forget prints how many it kept. A run that was undone is "
           "removed like any other.",
           std::string(kRunNames)},
      .arguments =
          {{.name = "RUN", .help = std::string(kRunHelp), .kind = Kind::run, .is_list = true}},
      .flags = {{.name = "older-than",
                 .kind = Kind::duration,
                 .metavar = "AGE",
                 .help = "remove runs that ended longer ago",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "keep-size",
                 .kind = Kind::size,
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

Result<int> run_forget(cli::Desk& desk, const App& app) {
  TRY(check(desk.values));
  const bool has_names = !desk.values.argument("RUN").empty();
  Chosen chosen;
  if (has_names) {
    LET(chosen.runs, named_runs(desk));
  } else {
    LET(chosen, runs_beyond_limits(desk, app));
  }
  Removal removal;
  for (const RunFolder& folder : chosen.runs) remove_one(folder, desk, app, removal);
  if (chosen.kept_for_undo > 0) {
    desk.console->say(Tone::warning,
                      "kept " + text::counted(chosen.kept_for_undo, "run") +
                          " of dupes that can still be undone; use --with-undo to remove them (you "
                          "cannot undo them after that)");
  }
  desk.console->say(
      Tone::plain,
      fmt::format("{} {}, {}", desk.values.is_on("dry-run") ? "would remove" : "removed",
                  text::counted(removal.runs, "run"), text::bytes_text(removal.bytes)));
  return removal.code;
}

}  // namespace tidemill::app
