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
    return command::misuse("which runs?",
                           "name them, or give --older-than, --keep-size or --complete");
  }
  if (has_names && has_limit) return command::misuse("either runs by name, or limits");
  if (has_names && values.is_on("all-states")) {
    return command::misuse("--all-states is for limits", "a run that is named goes in any state");
  }
  if (values.is_on("all-states") && values.is_on("complete")) {
    return command::misuse("either --complete or --all-states");
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
    removed = fail(Cure::give_up, "undo", "it can still be undone; --with-undo removes it");
  } else if (is_dry) {
    const auto holder = run::is_held(folder.lock());
    if (holder && *holder) {
      removed = fail(Cure::retry, FailureKind::held, "lock", "a process works on it");
    }
  } else {
    removed = desk.state.remove(folder.id(), desk.clock.wall());
  }
  if (!removed) {
    desk.console->say(Tone::bad, printable(folder.id() + " stays: " + text_of(removed.error())));
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
      .summary = "remove runs that are not needed any more",
      .usage = {"%program forget RUN... [OPTIONS]",
                "%program forget [--older-than TIME] [--keep-size SIZE] [OPTIONS]"},
      .examples = {{"%program forget 20261115-0431", "one run, whatever its state"},
                   {"%program forget --older-than 30d", "what is complete and a month old"},
                   {"%program forget --keep-size 1G -n", "what would have to go"}},
      .description =
          {"Removes the journal of a run and everything else that is kept about it. The files it "
           "worked on are not touched. A run that is forgotten cannot be resumed, and its letters "
           "are gone.",
           "The limits remove only runs that are complete and have no letters, unless "
           "--all-states is given. A run that somebody works on is never removed, and one that "
           "cannot be read only by its name. With both limits a run goes for either of them; its "
           "age counts from its last end. --keep-size removes the oldest first, until all runs "
           "together are no larger.",
           "A run of dupes that did something is what undo needs to take it back. Such a run goes "
           "only with --with-undo; the limits say how many they kept. One that was undone is "
           "forgotten like any other."},
      .arguments = {{.name = "RUN",
                     .help = "ids, beginnings of them, or last",
                     .kind = Kind::text,
                     .is_list = true}},
      .flags = {{.name = "older-than",
                 .kind = Kind::duration,
                 .metavar = "TIME",
                 .help = "runs that ended longer ago",
                 .is_configurable = false},
                {.name = "keep-size",
                 .kind = Kind::size,
                 .metavar = "SIZE",
                 .help = "the oldest runs, until all together are no larger",
                 .is_configurable = false},
                {.name = "complete",
                 .help = "runs that are complete and have no letters; without a limit all of them",
                 .is_configurable = false},
                {.name = "all-states",
                 .help = "the limits remove other runs too: interrupted, failed, with letters",
                 .is_configurable = false},
                {.name = "with-undo",
                 .help = "also runs of dupes that can still be undone",
                 .is_configurable = false},
                {.name = "dry-run",
                 .letter = 'n',
                 .help = "say what would be removed and remove nothing",
                 .is_configurable = false}}};
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
                      "kept: " + text::counted(chosen.kept_for_undo, "run") +
                          " of dupes that can still be undone; --with-undo removes them, and the "
                          "way back with them");
  }
  desk.console->say(
      Tone::plain,
      fmt::format("{}: {}, {}", desk.values.is_on("dry-run") ? "would be removed" : "removed",
                  text::counted(removal.runs, "run"), text::bytes_text(removal.bytes)));
  return removal.code;
}

}  // namespace tidemill::app
