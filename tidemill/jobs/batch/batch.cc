// The files of this job, in the order in which a file meets them:
//   options, verb     what was asked
//   roots, prompt     the folders, and what workers put around a file
//   mill, weigher     walk, read and count, in order
//   drafter, cutter   files become batches
//   ledger, payload   batches become tasks of the journal
//   start, opening    where a run begins, and whether another producer is at work
//   sender, target    tasks become entries of a stream, jobs of a queue, or lines
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
#include "tidemill/jobs/batch/cut/mill.h"
#include "tidemill/jobs/batch/send/opening.h"
#include "tidemill/jobs/batch/send/start.h"
#include "tidemill/jobs/batch/send/stopped.h"
#include "tidemill/jobs/batch/send/target.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/command/pauses.h"

namespace tidemill::batch {
namespace {

using command::Tone;

engine::FlowCounts counts_now(const Outcome& before, const Mill& mill, const Sent& sent) {
  return {.found = before.found() + mill.found(),
          .done = sent.files,
          .skipped = before.skipped() + mill.skipped(),
          .failed = before.tally.failed() + mill.failed(),
          .found_bytes = {mill.bytes_found()},
          .settled_bytes = {mill.bytes_weighed()}};
}

// The thread between the mill and the sender: whatever has come in since the last commit goes into
// one.
Result<void> keep_ledger(Ledger& ledger, engine::Channel<Draft>& drafts, Sender& sender) {
  constexpr std::size_t kMost = 256;
  std::vector<Draft> some;
  while (drafts.pop_some(some, kMost) > 0) {
    LET(auto sealed, ledger.write(some));
    some.clear();
    for (Sealed& batch : sealed) {
      // It has ended or ends, and says why; what is in the channel was not written down.
      if (!sender.put(std::move(batch))) return stopped();
    }
  }
  return {};
}

Bytes size_of(const Draft& draft) {
  std::uint64_t bytes = sizeof(Draft) + draft.rows.size() * 200;
  if (draft.batch) {
    for (const Weighed& file : draft.batch->files) {
      bytes += sizeof(Weighed) + file.path.size() + file.content.size();
    }
  }
  return {bytes};
}

// Whichever way it ends, the lease is given back.
struct Closing {
  queue::Outlet& outlet;
  ~Closing() { outlet.close(); }
};

// The ledger's thread. Whichever way it ends, the thread is told before it is waited for.
struct Keeping {
  engine::Channel<Draft>& drafts;
  std::jthread thread{};
  ~Keeping() { (void)drafts.cancel(); }
};

void tell_of_pauses(const Failure* failure, const command::Context& context) {
  const bool is_over = failure == nullptr && context.stop.stop_requested();
  if (!is_over) command::tell_of_pause(context.console, failure);
}

// The list came through a pipe and was not read to its end.
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

// How it ended, also in the journal. A run that was stopped is interrupted, whatever could not be
// written any more because of it.
void conclude(Outcome& outcome, std::optional<Failure> failure, run::Run& run,
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

std::uint64_t Outcome::skipped() const {
  return std::accumulate(totals.skipped.begin(), totals.skipped.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& of) { return sum + of.second; });
}

Result<void> check(const Options& options, const Surroundings& around) {
  TRY(recipe_of(options, around.tables));
  return {};
}

// Long, and one straight line: where it stands, the machine, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<Outcome> work(const Options& options, const Surroundings& around, run::Run& run,
                     command::Context& context) {
  const Instant began = context.clock.now();
  journal::SqliteJournal& journal = run.journal();
  const std::string name = run.folder().id() + "-" + run.card().mark;
  LET(const Recipe recipe, recipe_of(options, around.tables));
  LET(Start start, start_of(run));
  Outcome outcome;
  outcome.totals = start.totals;
  LET(outcome.tally, journal.tally());

  // Where it stands. From here on nobody else sends batches of this job.
  LET(const auto outlet, make_outlet(options, around, recipe, name, start.sent, context));
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
  tell_worries(options, around, context);

  // The machine: sender, ledger, mill; the last to work is made first.
  journal::Patience disk(context.clock,
                         [&](const Failure* failure) { tell_of_pauses(failure, context); });
  const bool is_lines = options.sink.kind == Sink::Kind::lines;
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
                start.sent, start.stands_at);
  LET(const engine::TaskId next_id, journal.next_id());
  Ledger ledger({.journal = journal,
                 .patience = disk,
                 .roots = recipe.roots,
                 .clock = context.clock,
                 .paths = options.paths,
                 .has_contents = options.is_inline,
                 .console = &context.console},
                start.totals, next_id);
  std::vector<Again> again;
  for (const auto& [letter, task] : start.letters) {
    ledger.revive(letter.at, task);
    again.push_back(letter);
  }
  const bool is_lost = options.is_list_lost && !start.has_found_all;
  const auto counts = open_counts(options, recipe, context);
  Mill mill({.options = options,
             .recipe = recipe,
             .clock = context.clock,
             .counts = counts.get(),
             .from = start.from,
             .skips_walk = start.has_found_all || is_lost,
             .again = std::move(again),
             .again_from = start.again_from,
             .on_trouble = [&](const Failure& failure) {
               context.console.say(Tone::warning, "Token counts are no longer cached: " +
                                                      tidemill::text_of(failure) + ".");
             }});
  engine::Channel<Draft> drafts({.items = 1'024, .bytes = mib(8)});
  std::stop_source halt;  // the user stops, or the sender has ended
  const std::stop_callback on_stop(context.stop, [&] {
    halt.request_stop();
    disk.give_up();
    sender.stop();
  });
  const Outcome before = outcome;
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {},
          [&] {
            return engine::ProgressInputs{.counts = counts_now(before, mill, sender.sent()),
                                          .is_total_known = mill.has_walked()};
          },
          [&](const engine::ProgressSnapshot& snapshot) { context.console.show(snapshot); },
          context.clock));

  // The work itself.
  Result<void> kept;
  const auto end_keeping = [&](Result<void> how) {
    kept = std::move(how);
    if (!kept || sender.has_ended()) halt.request_stop();
    (void)drafts.cancel();
  };
  Keeping keeper{.drafts = drafts};
  LET(keeper.thread,
      start_thread(
          "the ledger", [&] { end_keeping(keep_ledger(ledger, drafts, sender)); },
          [&](Failure failure) { end_keeping(std::unexpected(std::move(failure))); }));
  auto milled = mill.run(
      [&](Draft&& draft) {
        const Bytes size = size_of(draft);
        return drafts.push(std::move(draft), size) == engine::Push::sent;
      },
      halt.get_token());

  // The end, in the order of the flow: what is drafted is kept, what is kept is sent.
  drafts.close();
  keeper.thread.join();
  if (milled && kept && !is_lost && !sender.has_ended()) kept = ledger.note_end();
  const bool is_whole = milled && kept && !is_lost;
  auto sent = sender.finish(is_whole);
  reporter->finish();
  outlet->close();
  outcome.totals = ledger.totals();
  outcome.sent = sender.sent();
  outcome.remembered = mill.remembered();
  outcome.has_found_all = is_whole;
  outcome.has_lost_list = cli::is_read_once(options.list.files_from) && !is_whole;
  outcome.elapsed = context.clock.now() - began;
  LET(outcome.tally, journal.tally());
  const Result<void> found = is_lost ? std::unexpected(list_lost(start, run)) : Result<void>();
  conclude(outcome, first_failure({&sent, &kept, &milled, &found}), run, context);
  return outcome;
}

}  // namespace tidemill::batch
