#include "tidemill/jobs/batch/send/start.h"

#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/send/opening.h"

namespace tidemill::batch {
namespace {

// A new run continues an unfinished job after the last batch of the other producer. Numbers
// continue in any case.
Result<void> begin(Start& start, const queue::Standing& standing, const BatchOptions& options,
                   const BatchRecipe& recipe, journal::SqliteJournal& journal) {
  start.totals.first = standing.last + 1;
  start.last_delivered = standing.last;
  std::vector<journal::Note> notes = {{.key = "batch_totals", .value = text_of(start.totals)}};
  const bool continues = standing.last > 0 && !standing.is_complete && !options.restart;
  if (continues) {
    const auto cursor = cursor_of(standing.cursor, recipe.roots.size());
    if (!cursor)
      return fail(Cure::give_up, "resume",
                  "the position in the queue is not valid for these folders");
    start.from = *cursor;
    start.took_over = standing.run;
    notes.push_back({.key = "position", .value = standing.cursor});
  }
  return journal.commit({}, notes);
}

Result<void> resume(Start& start, const queue::Standing& standing, const BatchRecipe& recipe,
                    const std::string& run, const std::string& position) {
  LET(start.last_delivered, standing_of(standing, run, start.totals.first - 1));
  if (position.empty()) return {};
  const auto cursor = cursor_of(position, recipe.roots.size());
  if (!cursor) return fail(Cure::give_up, "resume", "the position in the journal is invalid");
  start.from = *cursor;
  return {};
}

// Dead letters to retry: the pending files and folders.
Result<std::vector<std::pair<Again, engine::TaskId>>> letters_again(journal::SqliteJournal& journal,
                                                                    const BatchRoots& roots) {
  std::vector<std::pair<Again, engine::TaskId>> again;
  engine::TaskId after = 0;
  while (true) {
    constexpr std::size_t kPage = 32;  // small: the page includes batches with their payloads
    LET(const auto page, journal.pending(after, kPage));
    for (const engine::TaskRecord& task : page) {
      after = task.id;
      if (task.type == kBatchType) continue;
      const auto at = roots.find(task.subject);
      if (!at)
        return fail(Cure::give_up, "resume", "a failed task is not in any folder of this run");
      again.push_back({{.at = *at, .is_folder = task.type == kFindType}, task.id});
    }
    if (page.size() < kPage) return again;
  }
}

}  // namespace

Result<Start> start_of(run::Run& run) {
  const journal::SqliteJournal& journal = run.journal();
  Start start;
  LET(const auto totals, journal.note("batch_totals"));
  LET(const auto fill, journal.note("batch_fill"));
  LET(const auto sent, journal.note("batch_sent"));
  LET(const auto found_all, journal.note("found_all"));
  start.totals = totals_of(totals.value_or(""));
  start.fill = fill_of(fill.value_or(""));
  start.sent = sent_of(sent.value_or(""));
  start.has_found_all = found_all == "1";
  start.is_new = !totals;
  return start;
}

Result<void> settle_start(Start& start, const queue::Standing& standing,
                          const BatchOptions& options, const BatchRecipe& recipe,
                          const std::string& name, run::Run& run) {
  TRY(start.is_new ? begin(start, standing, options, recipe, run.journal())
                   : resume(start, standing, recipe, name, run.card().position));
  LET(start.letters, letters_again(run.journal(), recipe.roots));
  LET(const auto again, run.journal().note("batch_again"));
  if (again) start.again_from = cursor_of(*again, recipe.roots.size()).value_or(Cursor{});
  return {};
}

}  // namespace tidemill::batch
