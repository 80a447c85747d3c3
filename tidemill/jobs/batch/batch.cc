// The files of this job, in the order in which data flows through them:
//   options, verb            the command line
//   roots, prompt            the folders, and the template around the files
//   batch_pipeline, weigher  walk, read and count, in order
//   drafter, cutter          files become batches
//   batch_journal, payload   batches become tasks of the journal
//   start, opening           where a run begins, and whether another producer holds the lease
//   sender, target           tasks become entries of a stream, jobs of a queue, or lines
#include "tidemill/jobs/batch/batch.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/send/opening.h"
#include "tidemill/jobs/batch/send/start.h"
#include "tidemill/jobs/batch/send/stopped.h"
#include "tidemill/jobs/batch/send/target.h"
#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/command/pauses.h"

namespace tidemill::batch {
namespace {

using command::Tone;

engine::FlowCounts counts_now(const BatchOutcome& before, const BatchPipeline& pipeline,
                              const Sent& sent) {
  return {.found = before.found() + pipeline.found(),
          .done = sent.files,
          .skipped = before.skipped() + pipeline.skipped(),
          .failed = before.tally.failed() + pipeline.failed(),
          .found_bytes = {pipeline.bytes_found()},
          .settled_bytes = {pipeline.bytes_weighed()}};
}

// The thread between the pipeline and the sender: all drafts that arrived since the last commit go
// into the next one.
Result<void> keep_batch_journal(BatchJournal& batch_journal, engine::Channel<BatchDraft>& drafts,
                                Sender& sender) {
  constexpr std::size_t kMost = 256;
  std::vector<BatchDraft> some;
  while (drafts.pop_some(some, kMost) > 0) {
    LET(auto sealed, batch_journal.write(some));
    some.clear();
    for (Sealed& batch : sealed) {
      // The sender has ended, and its result has the reason. Drafts still in the channel are lost,
      // which is safe: the journal's cursor is before them.
      if (!sender.put(std::move(batch))) return stopped();
    }
  }
  return {};
}

Bytes size_of(const BatchDraft& draft) {
  std::uint64_t bytes = sizeof(BatchDraft) + draft.rows.size() * 200;
  if (draft.batch) {
    for (const Weighed& file : draft.batch->files) {
      bytes += sizeof(Weighed) + file.path.size() + file.content.size();
    }
  }
  return {bytes};
}

// Releases the lease on every return path.
struct Closing {
  queue::Outlet& outlet;
  ~Closing() { outlet.close(); }
};

// The journal thread. Cancels the channel on every return path before it joins the thread.
struct JournalThread {
  engine::Channel<BatchDraft>& drafts;
  std::jthread thread{};
  ~JournalThread() { (void)drafts.cancel(); }
};

void tell_of_pauses(const Failure* failure, const command::Context& context) {
  const bool is_over = failure == nullptr && context.stop.stop_requested();
  if (!is_over) command::tell_of_pause(context.console, failure);
}

// The failure of a run whose list came through a pipe and was not read to the end.
Failure list_lost(const Start& start, const run::Run& run) {
  const std::size_t names = start.from.path.empty() ? 0 : start.from.root + 1;
  const run::RunFolder& folder = run.folder();
  return {.cure = Cure::give_up,
          .step = "find",
          .reason = "the list came from standard input, and reading stopped after " +
                    std::to_string(names) + " names",
          .hint = "pass the same list again: " + folder.program() + " resume " + folder.id() +
                  " --files-from FILE"};
}

std::optional<Failure> first_failure(std::initializer_list<const Result<void>*> results) {
  for (const Result<void>* const result : results) {
    if (!*result) return result->error();
  }
  return std::nullopt;
}

// Sets the ending in the outcome and in the journal. A stopped run counts as interrupted, even if
// the stop made writes fail.
void conclude(BatchOutcome& outcome, std::optional<Failure> failure, run::Run& run,
              const command::Context& context) {
  outcome.ending = run::kComplete;
  if (failure) {
    const bool was_stopped = context.stop.stop_requested() && failure->cure != Cure::give_up;
    const bool is_unread = command::is_reader_gone(*failure);
    outcome.ending = was_stopped || is_unread ? run::kInterrupted : run::kFailed;
    if (!was_stopped) outcome.cause = std::move(failure);
  }
  const std::string cause = outcome.cause ? tidemill::text_of(*outcome.cause) : "";
  auto ended = run.end(outcome.ending, cause);
  if (ended || outcome.cause || outcome.ending == run::kInterrupted) return;
  outcome.ending = run::kFailed;
  outcome.cause = std::move(ended).error();
}

}  // namespace

std::uint64_t BatchOutcome::skipped() const {
  return std::accumulate(totals.skipped.begin(), totals.skipped.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& of) { return sum + of.second; });
}

Result<void> check(const BatchOptions& options, const BatchContext& batch_context) {
  TRY(recipe_of(options, batch_context.tables));
  return {};
}

// Long, but straight: find the start, set up the stages, run, finish.
// NOLINTNEXTLINE(readability-function-size)
Result<BatchOutcome> work(const BatchOptions& options, const BatchContext& batch_context,
                          run::Run& run, command::Context& context) {
  const Instant began = context.clock.now();
  journal::SqliteJournal& journal = run.journal();
  const std::string name = run.folder().id() + "-" + run.card().mark;
  LET(const BatchRecipe recipe, recipe_of(options, batch_context.tables));
  LET(Start start, start_of(run));
  BatchOutcome outcome;
  outcome.totals = start.totals;
  LET(outcome.tally, journal.tally());

  // Find the start. Once the outlet is open, no other producer sends batches of this job.
  LET(const auto outlet, make_outlet(options, batch_context, recipe, name, start.sent, context));
  const Closing closing{*outlet};
  outcome.target = outlet->name();
  auto opened = open_patiently({.outlet = *outlet,
                                .console = context.console,
                                .clock = context.clock,
                                .patience = options.patience,
                                .waits_for_lease = options.if_held == IfHeld::wait},
                               context.stop);
  if (!opened && opened.error().kind == FailureKind::held) {
    outcome.ending = kHeld;
    outcome.cause = opened.error();
    return outcome;
  }
  if (!opened) return std::unexpected(opened.error());
  const queue::Standing standing = opened->standing.value_or(queue::Standing{});
  if (opened->was_completed_meanwhile && start.is_new && !options.restart) {
    outcome.ending = kCompletedElsewhere;
    outcome.completed_by = standing.run;
    return outcome;
  }
  TRY(settle_start(start, standing, options, recipe, name, run));
  outcome.took_over = start.took_over;
  tell_worries(options, batch_context, context);

  // Set up the stages, last one first: sender, journal, pipeline.
  journal::DiskFullWait disk(context.clock,
                             [&](const Failure* failure) { tell_of_pauses(failure, context); });
  const bool is_lines = options.sink.kind == Destination::Kind::lines;
  Sender sender({.outlet = *outlet,
                 .journal = journal,
                 .disk = disk,
                 .console = context.console,
                 .clock = context.clock,
                 .run = name,
                 .base = start.totals.first - 1,
                 .max_queued = is_lines ? 0 : options.max_queued,
                 .patience = options.patience,
                 .settle = is_lines ? std::chrono::milliseconds(0) : options.settle},
                start.sent, start.last_delivered);
  LET(const engine::TaskId next_id, journal.next_id());
  BatchJournal batch_journal({.journal = journal,
                              .patience = disk,
                              .roots = recipe.roots,
                              .clock = context.clock,
                              .paths = options.paths,
                              .has_contents = options.is_inline,
                              .limits = recipe.limits,
                              .fill = start.fill,
                              .console = &context.console},
                             start.totals, next_id);
  std::vector<Again> again;
  for (const auto& [letter, task] : start.letters) {
    batch_journal.revive(letter.at, task);
    again.push_back(letter);
  }
  const bool is_lost = options.is_list_lost && !start.has_found_all;
  const auto counts = open_counts(options, recipe, context);
  BatchPipeline pipeline({.options = options,
                          .recipe = recipe,
                          .clock = context.clock,
                          .counts = counts.get(),
                          .from = start.from,
                          .skips_walk = start.has_found_all || is_lost,
                          .again = std::move(again),
                          .again_from = start.again_from,
                          .on_cache_failure = [&](const Failure& failure) {
                            context.console.say(Tone::warning,
                                                "Token counts are no longer cached: " +
                                                    tidemill::text_of(failure) + ".");
                          }});
  engine::Channel<BatchDraft> drafts({.items = 1'024, .bytes = mib(8)});
  std::stop_source halt;  // fires when the user stops or the sender ends
  const std::stop_callback on_stop(context.stop, [&] {
    halt.request_stop();
    disk.give_up();
    sender.stop();
  });
  const BatchOutcome before = outcome;
  history::HistoryRecorder history(&run.journal(), context.clock);
  LET(const auto reporter, engine::ProgressReporter::start(
                               {},
                               [&] {
                                 return engine::ProgressInputs{
                                     .counts = counts_now(before, pipeline, sender.sent()),
                                     .is_total_known = pipeline.has_walked()};
                               },
                               [&](const engine::ProgressSnapshot& snapshot) {
                                 history.observe(snapshot);
                                 context.console.show(snapshot);
                               },
                               context.clock));

  // Run.
  Result<void> kept;
  const auto end_keeping = [&](Result<void> how) {
    kept = std::move(how);
    if (!kept || sender.has_ended()) halt.request_stop();
    (void)drafts.cancel();
  };
  JournalThread journal_thread{.drafts = drafts};
  LET(journal_thread.thread,
      start_thread(
          "the batch journal",
          [&] { end_keeping(keep_batch_journal(batch_journal, drafts, sender)); },
          [&](Failure failure) { end_keeping(std::unexpected(std::move(failure))); }));
  auto drafted = pipeline.run(
      [&](BatchDraft&& draft) {
        const Bytes size = size_of(draft);
        return drafts.push(std::move(draft), size) == engine::Push::sent;
      },
      halt.get_token());

  // Finish in the order of the flow: every draft is journalled, every journalled batch is sent.
  drafts.close();
  journal_thread.thread.join();
  if (drafted && kept && !is_lost && !sender.has_ended()) kept = batch_journal.note_end();
  const bool is_complete = drafted && kept && !is_lost;
  auto sent = sender.finish(is_complete);
  reporter->finish();
  outlet->close();
  outcome.totals = batch_journal.totals();
  outcome.sent = sender.sent();
  outcome.remembered = pipeline.remembered();
  outcome.has_found_all = is_complete;
  outcome.has_lost_list = cli::is_read_once(options.list.files_from) && !is_complete;
  outcome.elapsed = context.clock.now() - began;
  LET(outcome.tally, journal.tally());
  history::keep_parts(&journal,
                      parts_of(outcome.totals, batch_journal.fill(), outcome.tally.failed()));
  const Result<void> found = is_lost ? std::unexpected(list_lost(start, run)) : Result<void>();
  conclude(outcome, first_failure({&sent, &kept, &drafted, &found}), run, context);
  return outcome;
}

}  // namespace tidemill::batch
