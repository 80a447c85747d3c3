#include "tidemill/app/runs/letter_actions.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/app/runs/resumed_run.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/vigil.h"

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

// Of retry: how it reports, which is the job's matter.
std::vector<command::Flag> report_flags() { return {{.name = "json"}, {.name = "jsonl"}}; }

// Nothing: there is no such letter.
Result<bool> has_letters(const run::RunFolder& folder, const LetterChoice& choice) {
  LET(const auto journal, cli::open_to_read(folder));
  LET(const auto ids, chosen_letters(choice, *journal));
  return !ids.empty();
}

}  // namespace

// Whatever can be known to go wrong is found out before anything is changed, and before the run is
// opened: opening takes note of a crash, and that is for the one who goes on with the run.
Result<int> retry_letters(const run::RunFolder& folder, const LetterChoice& choice, cli::Desk& desk,
                          const App& app) {
  TRY(cli::log_for(desk));  // before a letter is taken back
  LET(const auto resumed, resumed_run(folder, report_flags(), desk, app));
  if (resumed.job == nullptr) return unknown_job(resumed.card.job);
  LET(const bool has_any, has_letters(folder, choice));
  if (!has_any) {
    desk.console->say(Tone::plain, "no matching failures");
    return cli::kDone;
  }
  LET(const auto go_on, resumed.job->retry(resumed.values, desk));
  cli::Vigil vigil(desk);
  LET(const auto run, run::Run::open(folder, desk.clock));
  LET(const auto ids, chosen_letters(choice, run->journal()));
  if (ids.empty())
    return cli::kDone;  // somebody else was faster; an empty list would mean everything
  TRY(commit_for<engine::Revived>(ids, run->journal()));
  return go_on(*run, ids, vigil);
}

// Without run::Run: that would take note of a crash, and the next one to go on with the run
// would not learn of it. Letters have no part in a recovery: it concerns pending tasks only.
Result<int> drop_letters(const run::RunFolder& folder, const LetterChoice& choice,
                         cli::Desk& desk) {
  LET(const auto lock, run::RunLock::take(folder.lock(), desk.clock.wall()));
  LET(const auto journal,
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::own}));
  LET(const auto ids, chosen_letters(choice, *journal));
  TRY(commit_for<engine::Abandoned>(ids, *journal));
  desk.console->say(Tone::plain, ids.empty()
                                     ? "no matching failures"
                                     : text::counted(ids.size(), "failed task") + " dropped");
  return cli::kDone;
}

}  // namespace tidemill::app
