// The files of this job, in the order in which a task meets them:
//   options, verb,    what was asked
//     placeholder_check
//   finder            names become tasks in the journal
//   feeder            pending tasks go into the pipeline
//   performer         one command: placeholders, proc::Runner, verdict
//   printer, clerk    its output is printed or held, then how it ended is written down
//   output_log,       output that outlives the process until it is printed
//     unprinted
//   stopper, halt     how the run ends before its time
#include "tidemill/jobs/each/each.h"
#include "tidemill/base/system_text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/proc/leftovers.h"
#include "tidemill/io/proc/program.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/jobs/each/clerk.h"
#include "tidemill/jobs/each/command/performer.h"
#include "tidemill/jobs/each/finder.h"
#include "tidemill/jobs/each/output/events.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/jobs/each/output/unprinted.h"
#include "tidemill/jobs/each/stopper.h"
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/ui/command/events.h"
#include "tidemill/ui/command/pauses.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::each {
namespace {

constexpr std::size_t kBatch = 1'000;

std::size_t in_flight(const Options& options) {
  return std::max<std::size_t>(512, 8 * options.workers);
}

engine::PipelineOptions pipeline_options(const Options& options, const command::Context& context) {
  engine::PipelineOptions pipeline;
  pipeline.pool.workers = options.workers;
  pipeline.pool.types = {{.name = std::string(kTaskType), .timeout = options.timeout}};
  pipeline.pool.retry = options.retry;
  if (options.rate) pipeline.pool.rate.per_second = *options.rate;
  pipeline.pool.clock = &context.clock;
  pipeline.pool.log = &context.log;
  pipeline.in_flight = {.items = in_flight(options), .bytes = mib(64)};
  pipeline.batch_items = kBatch;
  return pipeline;
}

// Counts over all processes that have worked on the run.
engine::FlowCounts counts_so_far(const engine::Tally& before, const engine::FlowCounts& here,
                                 const Finder& finder) {
  return {.found = before.found() + finder.found(),
          .done = before.done() + here.done,
          .skipped = before.skipped() + here.skipped,
          .failed = before.failed() + here.failed + finder.troubles()};
}

struct Again {
  std::vector<std::string> folders{};
  std::vector<engine::TaskId> letters{};
};

// Of the letters to be retried, the folders that could not be read. A name that was too long is too
// long again.
Result<Again> folders_again(const Assignment& assignment, journal::SqliteJournal& journal,
                            const Clock& clock) {
  Again again;
  std::vector<engine::Entry> hopeless;
  for (const engine::TaskId id : assignment.only) {
    LET(const auto task, journal.task(id));
    if (!task || task->state != engine::TaskState::pending) continue;
    if (task->type == kNameType) {
      const Failure failure{.step = "name", .reason = "longer than any argument can be"};
      hopeless.emplace_back(engine::Died{.id = id, .failure = failure, .at = clock.wall()});
    }
    if (task->type != kFindType) continue;
    again.folders.push_back(task->subject);
    again.letters.push_back(id);
  }
  TRY(journal.commit(hopeless));
  return again;
}

Finder::Source source_of(const Options& options, const Assignment& assignment,
                         const run::RunCard& card, Again again) {
  const bool is_done = card.has_found_all || !assignment.only.empty() || assignment.is_list_lost;
  return {.options = options,
          .position = card.position,
          .again = std::move(again.folders),
          .settles = std::move(again.letters),
          .is_read = is_done};
}

// What the tasks have said cannot be printed or kept.
bool is_of_output(const Failure& failure) {
  return failure.kind == FailureKind::unwritable || failure.kind == FailureKind::closed;
}

// A full disk is no failure of a run that was waiting for room when the user stopped it. Retried
// letters alone do not make a run complete that was not.
Result<std::string> ending_of(Stopper& stopper, const engine::FlowReport& report,
                              const std::string& ending_before, journal::SqliteJournal& journal) {
  // The Ctrl-C that stops us ends whoever reads our output, too.
  const bool is_unread = report.fatal && is_of_output(*report.fatal);
  const bool is_lost = report.fatal && report.fatal->cure != Cure::retry && !is_unread;
  if (stopper.was_interrupted() && !is_lost) return std::string(run::kInterrupted);
  if (report.fatal && command::is_reader_gone(*report.fatal)) {
    return std::string(run::kInterrupted);
  }
  if (report.fatal) return std::string(run::kFailed);
  if (stopper.was_halted()) return std::string(run::kHalted);
  LET(const engine::Tally tally, journal.tally());
  LET(const auto found_all, journal.note("found_all"));
  if (tally.pending() == 0 && found_all == "1") return std::string(run::kComplete);
  const bool was_open = ending_before != run::kRunning && ending_before != run::kComplete;
  return was_open ? ending_before : std::string(run::kInterrupted);
}

std::optional<Failure> list_lost(const Assignment& assignment, const run::Run& run) {
  if (!assignment.is_list_lost || run.card().has_found_all) return std::nullopt;
  return Failure{.cure = Cure::give_up,
                 .step = "find",
                 .reason = "the list came from standard input and was cut off after " +
                           (run.card().position.empty() ? "0" : run.card().position) + " names",
                 .hint = "give it again: " + run.folder().program() + " resume " +
                         run.folder().id() + " --files-from FILE"};
}

Result<void> sync_outputs(const Options& options, const std::string& spill) {
  TRY(sync_folder(spill));
  return options.results.empty() ? Result<void>() : sync_folder(options.results);
}

Result<void> make_results(const std::string& folder) {
  if (folder.empty()) return {};
  auto made = files::HeldFolder::make(folder);
  if (made) return {};
  made.error().step = "results";
  return std::unexpected(std::move(made).error());
}

}  // namespace

Result<void> check(const Options& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(options.files_from, ignored)) {
    return command::misuse("--files-from: " + command::in_quotes(options.files_from) +
                               " is a folder, not a list of names",
                           "to walk it leave --files-from out");
  }
  if (auto sieve = walk::Sieve::compile(options.globs, options.excludes); !sieve) {
    Failure wrong = std::move(sieve).error();
    wrong.kind = FailureKind::usage;
    wrong.step = "usage";
    return std::unexpected(std::move(wrong));
  }
  std::vector<std::string> sources = options.roots;
  if (!options.files_from.empty()) sources = {options.files_from};
  for (const std::string& path : sources) {
    if (path == "-" || ::access(path.c_str(), F_OK) == 0) continue;
    return fail(Cure::give_up, "find", path + ": " + system_text(errno));
  }
  return check_command(options);
}

Result<void> check_command(const Options& options) {
  if (!options.shell) TRY(proc::resolve_program(options.command.front()));
  return make_results(options.results);
}

// Long, and one straight line: what everything uses, the machine, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<Outcome> work(const Options& options, const Assignment& assignment, run::Run& run,
                     command::Context& context) {
  journal::SqliteJournal& journal = run.journal();
  const std::string spill = run.folder().spill();
  const std::string ending_before = run.card().ending;
  if (run.recovery().was_unclean) {
    (void)proc::end_marked({mark_entry(run.card().mark)}, options.grace);
  }
  TRY(make_results(options.results));
  LET(auto unprinted, collect_unprinted(spill, journal));

  // What everything else uses.
  journal::Patience patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  LET(run::Slate* const slate, run.start_slate(options.workers, 2 * (in_flight(options) + kBatch)));
  LET(const engine::Tally before, journal.tally());
  LET(const engine::TaskId first_id, journal.next_id());
  LET(Again again, folders_again(assignment, journal, context.clock));
  LET(const auto printer, Printer::make(options, spill, context.console, std::move(unprinted)));
  Stopper* halting = nullptr;
  LET(const auto performer,
      Performer::make(
          {.options = options,
           .run_id = run.folder().id(),
           .mark = run.card().mark,
           .spill_folder = spill,
           .slate = *slate,
           .clock = context.clock,
           .letters_before = before.dead(),
           .on_halt = [&](HaltRule::Manner manner) { halting->halt(manner); },
           .on_shortage =
               [&](const Failure& failure) {
                 context.console.say(command::Tone::warning,
                                     "Commands are put off: " + text_of(failure) + ".");
               },
           .keep =
               [&](const engine::TaskContext& task, Piece& piece, const Failure* failure) {
                 return patience.insist(
                     [&] { return printer->keep(task.worker(), piece, task.attempt(), failure); });
               }}));

  // The machine: finder, feeder, pipeline, clerk. From here on tasks may run.
  Finder finder(source_of(options, assignment, run.card(), std::move(again)), journal, patience,
                context.clock, first_id);
  Clerk clerk(journal, patience, *printer, context.clock);
  auto settings = pipeline_options(options, context);
  settings.pool.on_retry = [&](const engine::Retrial& retrial) {
    auto noted = journal::note_retry(retrial, journal, patience, context.clock);
    if (noted && options.report == Report::jsonl) {
      noted = context.console.out(command::retry_event(retrial));
    }
    if (!noted) halting->halt(HaltRule::Manner::now);
    return noted;
  };
  LET(const auto pipeline,
      EachPipeline::make(
          std::move(settings),
          [&](Piece& piece, engine::TaskContext& task) { return performer->perform(piece, task); },
          [&](std::span<EachPipeline::Item> batch) {
            auto settled = clerk.settle(batch);
            // The run is lost; what still runs must not keep us here for hours.
            if (!settled) halting->halt(HaltRule::Manner::now);
            return settled;
          }));
  Stopper stopper({.stop_intake =
                       [&] {
                         finder.stop();
                         pipeline->stop();
                         clerk.stop_waiting();
                         patience.give_up();
                       },
                   .end_all = [&](proc::Urge urge) { performer->end_all(urge); }},
                  context.stop, context.kill, context.clock, options.timeout);
  halting = &stopper;
  if (const auto& trouble = stopper.trouble()) return std::unexpected(*trouble);
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {},
          [&] {
            engine::PoolStats stats = pipeline->stats();
            return engine::ProgressInputs{
                .counts = counts_so_far(before, pipeline->counts(), finder),
                .is_total_known = finder.state().has_ended,
                .workers = std::move(stats.workers),
                .waits_for = waits_of(stats, options.rate.has_value())};
          },
          [&](const engine::ProgressSnapshot& snapshot) { context.console.show(snapshot); },
          context.clock));
  if (options.report == Report::jsonl) {
    TRY(context.console.out(start_event(run.folder().id(), options)));
  }

  // The work itself, and before it what an earlier process did not print.
  const Instant began = context.clock.now();
  Feeder feeder({.order = options.order,
                 .only = assignment.only,
                 .first_new = first_id,
                 .task_size = {2 * options.keep_output.count}},
                journal, finder, [&](std::uint64_t fed) { return clerk.wait_settled(fed); });
  engine::FlowReport report = pipeline->run([&](EachPipeline::Intake& intake) -> Result<void> {
    TRY(printer->start());
    return feeder.feed(intake);
  });

  // The end, in the opposite order.
  finder.stop();
  const Finder::State found = finder.wait_for_the_end();
  reporter->finish();
  if (!report.fatal || !is_of_output(*report.fatal)) {
    if (auto printed = printer->finish(); !printed && !report.fatal) {
      report.fatal = std::move(printed).error();
    }
  }
  if (!report.fatal && found.failure && !report.was_stopped) report.fatal = found.failure;
  if (!report.fatal && !report.was_stopped) report.fatal = list_lost(assignment, run);
  auto ending = ending_of(stopper, report, ending_before, journal);
  if (!ending) {
    report.fatal = std::move(ending).error();
    ending = std::string(run::kFailed);
  }
  Outcome outcome{.ending = *ending,
                  .cause = report.fatal,
                  .here = report.counts,
                  .elapsed = context.clock.now() - began};
  // The end commits what only the slate has; so what those tasks wrote has to be on the disk.
  // Otherwise there is no end, and the next process has to find out.
  if (auto synced = sync_outputs(options, spill); !synced && *ending != run::kComplete) {
    outcome.cause = std::move(synced).error();
    return outcome;
  }
  const std::string cause = outcome.cause ? text_of(*outcome.cause) : "";
  if (auto ended = run.end(*ending, cause); !ended && !outcome.cause) {
    outcome.ending = run::kFailed;
    outcome.cause = std::move(ended).error();
  }
  return outcome;
}

}  // namespace tidemill::each
