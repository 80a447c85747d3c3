#include "tidemill/app/runs/letter_actions.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/app/runs/resumed_run.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/jobs/batch/work.h"
#include "tidemill/jobs/docs/work.h"
#include "tidemill/jobs/dupes/act/work.h"
#include "tidemill/jobs/each/work.h"
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

// The run goes on, of `each` and `docs` with exactly these tasks. What can be known to go wrong was
// found out by `prepare`, which answers this.
using Work =
    std::function<Result<int>(run::Run& run, const std::vector<TaskId>& ids, cli::Vigil& vigil)>;

Result<Work> prepare(const Resumed& resumed, cli::Desk& desk) {
  const std::string& job = resumed.card.job;
  if (job == "batch") {
    LET(auto options, batch::batch_options(resumed.values, desk));
    LET(auto around, batch::batch_surroundings(options));
    return [options, around, &desk](auto& run, const auto& /*ids*/, auto& vigil) {
      return batch::batch_on(run, options, around, desk, vigil);
    };
  }
  if (job == "docs") {
    LET(auto options, docs::options_of(resumed.values));
    return [options, &desk](auto& run, const auto& /*ids*/, auto& vigil) {
      return docs::docs_on(run, options, {.only_pending = true}, desk, vigil);
    };
  }
  if (job == "dupes") {
    return [&resumed, &desk](auto& run, const auto& /*ids*/, auto& vigil) {
      return dupes::resume_dupes(run, resumed.values, desk, vigil);
    };
  }
  LET(auto options, each::options_of(resumed.values));
  TRY(each::check_command(options));  // the names are in the journal: a list may be gone
  return [options, &desk](auto& run, const std::vector<TaskId>& ids, auto& vigil) {
    return each::work_on(run, options, {.only = ids}, desk, vigil);
  };
}

}  // namespace

// Whatever can be known to go wrong is found out before anything is changed, and before the run is
// opened: opening takes note of a crash, and that is for the one who goes on with the run.
Result<int> retry_letters(const run::RunFolder& folder, const LetterChoice& choice,
                          cli::Desk& desk) {
  TRY(cli::log_for(desk));  // before a letter is taken back
  LET(const auto resumed, resumed_run(folder, report_flags(), desk));
  LET(const bool has_any, has_letters(folder, choice));
  if (!has_any) {
    desk.console->say(Tone::plain, "There is no such letter.");
    return cli::kDone;
  }
  LET(const auto work, prepare(resumed, desk));
  cli::Vigil vigil(desk);
  LET(const auto run, run::Run::open(folder, desk.clock));
  LET(const auto ids, chosen_letters(choice, run->journal()));
  if (ids.empty())
    return cli::kDone;  // somebody else was faster; an empty list would mean everything
  TRY(commit_for<engine::Revived>(ids, run->journal()));
  return work(*run, ids, vigil);
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
  desk.console->say(Tone::plain, ids.empty() ? "There is no such letter."
                                             : text::counted(ids.size(), "letter") + " dropped.");
  return cli::kDone;
}

}  // namespace tidemill::app
