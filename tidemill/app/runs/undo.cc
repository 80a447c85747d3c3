#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::ValueKind;

bool can_undo(const App& app, const std::string& job) {
  const jobs::Job* found = jobs::find_job(app.jobs, job);
  return found != nullptr && found->undo_help().has_value();
}

// Suggests the newest run that can be undone.
std::string hint_for(const cli::CliContext& cli, const App& app) {
  const auto folders = cli.state.list();
  if (!folders) return "";
  for (const run::RunFolder& folder : *folders) {
    const cli::RunStatus run_status = cli::run_status_at(folder);
    if (run_status.has_journal && can_undo(app, run_status.card.job)) {
      return "try " + folder.program() + " undo " + folder.id() + ", the newest run of " +
             run_status.card.job;
    }
  }
  return "";
}

// Checks before the run is opened: opening records a crash, and only a process that continues the
// run should do that.
Result<void> check_can_undo(const run::RunFolder& folder, const cli::CliContext& cli,
                            const App& app) {
  LET(const auto card, cli::card_in(folder));
  const bool is_undoable = can_undo(app, card.job);
  if (is_undoable && !folder.is_record()) return {};
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = folder.id(),
              .reason = is_undoable ? "this run only searched: there is nothing to undo"
                                    : "a run of " + card.job + " cannot be undone; only runs of " +
                                          undoable_jobs(app.jobs) + " can",
              .hint = hint_for(cli, app)});
}

Result<int> list_steps(const run::RunFolder& folder, const jobs::Job& job, cli::CliContext& cli) {
  LET(const auto journal, cli::open_to_read(folder));
  LET(const auto ids, job.undoable(*journal));
  LET(const auto tally, journal->tally());
  bool is_first = true;
  for (std::span<const engine::TaskId> left(ids); !left.empty();) {
    term::Table table({{.heading = "TASK", .align = term::Align::right},
                       {.heading = "STEP"},
                       {.heading = "NAME"}});
    for (const engine::TaskId id : left.first(std::min(left.size(), cli::kPage))) {
      LET(const auto task, journal->task(id));
      if (!task) continue;
      table.add({std::to_string(id), job.outcome_text(*task), job.subject_text(*task)});
    }
    left = left.subspan(std::min(left.size(), cli::kPage));
    TRY(cli.console->out(cli::rows_of(table, std::exchange(is_first, false))));
  }
  std::string text = "would undo " + text::counted(ids.size(), "step");
  if (tally.pending() > 0) text += ", would drop " + text::counted(tally.pending(), "pending step");
  cli.console->say(command::Tone::plain, text + "; nothing was changed");
  return cli::kDone;
}

}  // namespace

std::string undoable_jobs(jobs::Jobs jobs) {
  std::string names;
  for (const jobs::Job* job : jobs) {
    if (!job->undo_help()) continue;
    names += (names.empty() ? "" : " or ") + job->verb().name;
  }
  return names;
}

command::Verb describe_undo(const App& app) {
  const std::string undoable = undoable_jobs(app.jobs);
  command::Verb verb{.name = "undo",
                     .summary = "undo what a run of " + undoable + " did",
                     .usage = {"%program undo RUN [OPTIONS]"},
                     .examples = {{"%program undo last", "undo the newest run"},
                                  {"%program undo last -n", "list the steps that would be undone"},
                                  {"%program undo 20261116-0352-dupes", "undo another run"}},
                     .arguments = {{.name = "RUN",
                                    .help = std::string(kRunHelp),
                                    .kind = ValueKind::run,
                                    .is_required = true}},
                     .flags = {{.name = "dry-run",
                                .letter = 'n',
                                .help = "list the steps that would be undone and change nothing",
                                .is_configurable = false,
                                .is_basic = true},
                               {.name = "json",
                                .help = "print the counts as one JSON object",
                                .is_configurable = false,
                                .is_basic = true}},
                     .works = true};
  for (const jobs::Job* job : app.jobs) {
    if (auto help = job->undo_help()) {
      std::ranges::move(help->description, std::back_inserter(verb.description));
    }
  }
  verb.description.emplace_back(
      "--dry-run lists the steps that are done and not undone yet. It does not compare files, so "
      "undo may skip some of them.");
  verb.description.emplace_back(kRunNames);
  return verb;
}

Result<int> run_undo(cli::CliContext& cli, const App& app) {
  const bool is_dry = cli.values.is_on("dry-run");
  if (is_dry && cli.values.is_on("json")) {
    return command::misuse("--dry-run cannot be used with --json");
  }
  LET(const auto folder, cli.state.find(cli.values.argument("RUN").front()));
  TRY(check_can_undo(folder, cli, app));
  LET(const auto card, cli::card_in(folder));
  const jobs::Job& job = *jobs::find_job(app.jobs, card.job);
  if (is_dry) return list_steps(folder, job, cli);
  cli::SignalScope signal_scope(cli, job.undo_help().value_or(jobs::UndoHelp{}).words);
  LET(const auto run, run::Run::open(folder, cli.clock));
  return job.undo(*run, cli, signal_scope);
}

}  // namespace tidemill::app
