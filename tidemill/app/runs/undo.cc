#include <algorithm>
#include <iterator>
#include <string>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::app {
namespace {

using command::Kind;

bool can_undo(const App& app, const std::string& job) {
  const jobs::Job* found = jobs::find_job(app.jobs, job);
  return found != nullptr && found->undo_help().has_value();
}

// The newest run that can be undone.
std::string hint_for(const cli::Desk& desk, const App& app) {
  const auto folders = desk.state.list();
  if (!folders) return "";
  for (const run::RunFolder& folder : *folders) {
    const cli::Glance glance = cli::glance_at(folder);
    if (glance.has_journal && can_undo(app, glance.card.job)) {
      return "the newest of " + glance.card.job + ": " + folder.program() + " undo " + folder.id();
    }
  }
  return "there is no run of " + undoable_jobs(app.jobs);
}

// Before the run is opened: opening takes note of a crash, and that is for the one who goes on with
// it.
Result<void> check_can_undo(const run::RunFolder& folder, const cli::Desk& desk, const App& app) {
  LET(const auto card, cli::card_in(folder));
  const bool is_undoable = can_undo(app, card.job);
  if (is_undoable && !folder.is_record()) return {};
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = "undo",
      .reason = folder.id() + (is_undoable ? " is a search: it has changed nothing"
                                           : " is a run of " + card.job + ": only what " +
                                                 undoable_jobs(app.jobs) + " did can be undone"),
      .hint = hint_for(desk, app)});
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
  command::Verb verb{.name = "undo",
                     .summary = "take back what a run of " + undoable_jobs(app.jobs) + " did",
                     .usage = {"%program undo RUN [OPTIONS]"},
                     .examples = {{"%program undo last", "the newest run"},
                                  {"%program runs", "which runs there are, and what they did"},
                                  {"%program undo 20261116-0352-dupes", "one of them"}},
                     .arguments = {{.name = "RUN",
                                    .help = "an id, the beginning of one, or last",
                                    .kind = Kind::text,
                                    .is_required = true}},
                     .flags = {{.name = "json",
                                .help = "print the counts as one object",
                                .is_configurable = false}},
                     .works = true};
  for (const jobs::Job* job : app.jobs) {
    if (auto help = job->undo_help()) {
      std::ranges::move(help->description, std::back_inserter(verb.description));
    }
  }
  return verb;
}

Result<int> run_undo(cli::Desk& desk, const App& app) {
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  TRY(check_can_undo(folder, desk, app));
  LET(const auto card, cli::card_in(folder));
  const jobs::Job& job = *jobs::find_job(app.jobs, card.job);
  cli::Vigil vigil(desk, job.undo_help().value_or(jobs::UndoHelp{}).words);
  LET(const auto run, run::Run::open(folder, desk.clock));
  return job.undo(*run, desk, vigil);
}

}  // namespace tidemill::app
