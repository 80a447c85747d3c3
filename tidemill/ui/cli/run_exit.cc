#include "tidemill/ui/cli/run_exit.h"

#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/signal_scope.h"

namespace tidemill::cli {
namespace {

// Checks both the tally and the tasks: in a damaged file they may disagree.
Result<bool> has_work_left(journal::SqliteJournal& journal, const RunRequest& request) {
  for (const engine::TaskId id : request.only) {
    LET(const auto task, journal.task(id));
    if (!task || task->state == engine::TaskState::pending) return true;
  }
  if (!request.only.empty()) return false;
  LET(const auto tally, journal.tally());
  LET(const auto page, journal.pending(0, 1));
  if (tally.pending() > 0 || !page.empty()) return true;
  if (!request.looks_for_more) return false;
  LET(const auto found_all, journal.note("found_all"));
  return found_all != "1";
}

}  // namespace

int exit_code_of(const RunStanding& standing) {
  if (standing.ending == run::kInterrupted && standing.signal != 0) {
    return exit_code_of(standing.signal);
  }
  if (standing.has_cause || standing.has_work_left) return kFailed;
  if (standing.ending == run::kHalted || standing.ending == run::kFailed) return kFailed;
  return standing.has_failures ? kSomeFailed : kDone;
}

Result<int> exit_code_of(run::Run& run, RunStanding standing, const RunRequest& request,
                         CliContext& cli) {
  LET(const auto tally, run.journal().tally());
  LET(standing.has_work_left, has_work_left(run.journal(), request));
  standing.has_failures = tally.failed() > 0;
  const bool is_explained =
      standing.has_cause || standing.signal != 0 || standing.ending == run::kHalted;
  if (standing.has_work_left && !is_explained) {
    cli.console->say(command::Tone::bad,
                     "The run ended with tasks left to do.\n  hint: verify the journal: " +
                         cli.program.name + " check " + run.folder().id());
  }
  return exit_code_of(standing);
}

}  // namespace tidemill::cli
