#include "tidemill/cli/letter_actions.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/cli/batch_work.h"
#include "tidemill/cli/docs_work.h"
#include "tidemill/cli/dupes_act.h"
#include "tidemill/cli/exit_code.h"
#include "tidemill/cli/glance.h"
#include "tidemill/cli/pages.h"
#include "tidemill/cli/work.h"
#include "tidemill/text/counted.h"

namespace tidemill::cli {
namespace {

using command::Tone;
using engine::TaskId;

template <class News>
Result<void> commit_for(std::span<const TaskId> ids, engine::Journal& journal) {
  while (!ids.empty()) {
    const auto part = ids.first(std::min(ids.size(), kPage));
    std::vector<engine::Entry> batch;
    for (const TaskId id : part) batch.emplace_back(News{.id = id});
    TRY(journal.commit(batch));
    ids = ids.subspan(part.size());
  }
  return {};
}

// Whatever can be known to go wrong is found out before anything is changed, and before the run is
// opened: opening takes note of a crash, and that is for the one who goes on with the run. Nothing:
// there is no such letter.
Result<std::optional<each::Options>> options_before(const durable::RunFolder& folder,
                                                    const LetterChoice& choice,
                                                    const command::Program& program) {
  LET(const auto journal, open_to_read(folder));
  LET(const auto card, durable::card_of(*journal));
  LET(const auto ids, chosen_letters(choice, *journal));
  if (ids.empty()) return std::nullopt;
  LET(auto options, options_of_run(card, {}, program));
  TRY(each::check_command(options));  // the names are in the journal: a list may be gone
  return options;
}

Result<std::string> job_of(const durable::RunFolder& folder) {
  LET(const auto journal, open_to_read(folder));
  LET(const auto card, durable::card_of(*journal));
  return card.job;
}

// Of a run that replaces duplicates, makes batches or works on documents: what failed is pending
// again, and the run goes on.
Result<int> retry_and_go_on(const durable::RunFolder& folder, const LetterChoice& choice,
                            Desk& desk) {
  Vigil vigil(desk);
  LET(const auto run, durable::Run::open(folder, desk.clock));
  LET(const auto ids, chosen_letters(choice, run->journal()));
  if (ids.empty()) {
    desk.console->say(Tone::plain, "There is no such letter.");
    return kDone;
  }
  TRY(commit_for<engine::Revived>(ids, run->journal()));
  if (run->card().job == "batch") return resume_batch(*run, desk, vigil);
  if (run->card().job == "docs") return resume_docs(*run, {.only_pending = true}, desk, vigil);
  return resume_dupes(*run, desk, vigil);
}

}  // namespace

Result<int> retry_letters(const durable::RunFolder& folder, const LetterChoice& choice,
                          Desk& desk) {
  TRY(log_for(desk));  // before a letter is taken back
  LET(const auto job, job_of(folder));
  if (job == "dupes" || job == "batch" || job == "docs")
    return retry_and_go_on(folder, choice, desk);
  LET(const auto options, options_before(folder, choice, desk.program));
  if (!options) {
    desk.console->say(Tone::plain, "There is no such letter.");
    return kDone;
  }
  Vigil vigil(desk);
  LET(const auto run, durable::Run::open(folder, desk.clock));
  LET(auto ids, chosen_letters(choice, run->journal()));
  if (ids.empty()) return kDone;  // somebody else was faster; an empty list would mean everything
  TRY(commit_for<engine::Revived>(ids, run->journal()));
  return work_on(*run, *options, {.only = std::move(ids)}, desk, vigil);
}

// Without durable::Run: that would take note of a crash, and the next one to go on with the run
// would not learn of it. Letters have no part in a recovery: it concerns pending tasks only.
Result<int> drop_letters(const durable::RunFolder& folder, const LetterChoice& choice, Desk& desk) {
  LET(const auto lock, durable::RunLock::take(folder.lock(), desk.clock.wall()));
  LET(const auto journal,
      durable::SqliteJournal::open({.path = folder.journal(), .access = durable::Access::own}));
  LET(const auto ids, chosen_letters(choice, *journal));
  TRY(commit_for<engine::Abandoned>(ids, *journal));
  desk.console->say(Tone::plain, ids.empty() ? "There is no such letter."
                                             : text::counted(ids.size(), "letter") + " dropped.");
  return kDone;
}

}  // namespace tidemill::cli
