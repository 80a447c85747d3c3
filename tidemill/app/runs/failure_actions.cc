#include "tidemill/app/runs/failure_actions.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/app/runs/resumed_run.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"

namespace tidemill::app {
namespace {

using command::Tone;
using engine::TaskId;

template <class News>
Result<void> commit_for(std::span<const TaskId> ids, engine::Journal& journal) {
  while (!ids.empty()) {
    const auto part = ids.first(std::min(ids.size(), cli::kPage));
    std::vector<engine::Entry> batch;
    for (const TaskId id : part) batch.emplace_back(News{.id = id});
    TRY(journal.commit(batch));
    ids = ids.subspan(part.size());
  }
  return {};
}

// The flags of retry that are passed to the job.
std::vector<command::Flag> retry_flags(const App& app) {
  std::vector<command::Flag> flags = {{.name = "json"}, {.name = "jsonl"}};
  std::ranges::move(jobs::call_flags(app.jobs), std::back_inserter(flags));
  return flags;
}

// Whether the choice matches any dead letter.
Result<bool> has_letters(const run::RunFolder& folder, const FailureChoice& choice) {
  LET(const auto journal, cli::open_to_read(folder));
  LET(const auto ids, chosen_letters(choice, *journal));
  return !ids.empty();
}

}  // namespace

// Checks everything it can before it changes anything and before it opens the run: opening records
// a crash, and only a process that continues the run should do that.
Result<int> retry_failures(const run::RunFolder& folder, const FailureChoice& choice,
                           cli::CliContext& cli, const App& app) {
  TRY(cli::log_for(cli));  // before any change
  LET(const auto resumed, resumed_run(folder, retry_flags(app), cli, app));
  if (resumed.job == nullptr) return unknown_job(resumed.card.job);
  LET(const bool has_any, has_letters(folder, choice));
  if (!has_any) {
    cli.console->say(Tone::plain, "no matching failures");
    return cli::kDone;
  }
  LET(const auto go_on, resumed.job->retry(resumed.values, cli));
  cli::SignalScope signal_scope(cli);
  LET(const auto run, run::Run::open(folder, cli.clock));
  LET(const auto ids, chosen_letters(choice, run->journal()));
  if (ids.empty())
    return cli::kDone;  // another process was faster; an empty list would mean all tasks
  TRY(commit_for<engine::Revived>(ids, run->journal()));
  return go_on(*run, ids, signal_scope);
}

// Does not open run::Run: that would record a crash, and the process that resumes the run would not
// report it. Recovery concerns pending tasks only, so dead letters can be changed without it.
Result<int> drop_failures(const run::RunFolder& folder, const FailureChoice& choice,
                          cli::CliContext& cli) {
  LET(const auto lock, run::RunLock::take(folder.lock(), cli.clock.wall()));
  LET(const auto journal,
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::own}));
  LET(const auto ids, chosen_letters(choice, *journal));
  TRY(commit_for<engine::Abandoned>(ids, *journal));
  cli.console->say(Tone::plain, ids.empty()
                                    ? "no matching failures"
                                    : text::counted(ids.size(), "failed task") + " dropped");
  return cli::kDone;
}

}  // namespace tidemill::app
