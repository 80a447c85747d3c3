// The files of this job, in the order in which a task passes through them:
//   options, verb,         the command line
//     placeholder_check
//   jobs/tasks             names become tasks in the journal (finder),
//                          pending tasks are fed to the pipeline (feeder)
//   command_runner         one command: placeholders, proc::Runner, exit_rules
//   printer, EachSink      output is printed or held, then the outcome is committed
//   output_log,            output that outlives the process until it is printed
//     unprinted
//   stopper, halt          how the run ends early
#include "tidemill/jobs/each/each.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/proc/program.h"
#include "tidemill/jobs/each/command/command_runner.h"
#include "tidemill/jobs/each/ending.h"
#include "tidemill/jobs/each/output/events.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/jobs/each/output/unprinted.h"
#include "tidemill/jobs/each/stopper.h"
#include "tidemill/jobs/tasks/feeder.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/jobs/tasks/settled_count.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/ui/command/events.h"
#include "tidemill/ui/command/pauses.h"

namespace tidemill::each {
namespace {

using engine::Done;
using engine::Entry;

void add_entries(const EachPipeline::Item& item, WallTime now, std::vector<Entry>& entries) {
  if (const EachResult* ran = item.done()) {
    entries.emplace_back(Done{.id = item.id, .attempts = item.attempts, .result = ran->result});
    return;
  }
  add_failure(item.id, item.attempts, *item.failed(), item.item.last, now, entries);
}

// Prints the outputs of finished tasks, then commits their outcomes. The sink of the pipeline.
//
//   batch ── outputs, events: printed or held in files ── synced ── one commit
//
// A task is done when the commit has returned; by then its output is printed or durable. One
// thread.
class EachSink {
 public:
  EachSink(journal::SqliteJournal& journal, journal::DiskFullWait& patience, Printer& printer,
           const Clock& clock, jobs::SettledCount& settled)
      : journal_(journal),
        patience_(patience),
        printer_(printer),
        clock_(clock),
        settled_(settled) {}

  [[nodiscard]] Result<void> settle(std::span<EachPipeline::Item> batch) {
    std::vector<Entry> entries;
    entries.reserve(batch.size());
    const WallTime now = clock_.wall();
    for (const auto& item : batch) add_entries(item, now, entries);
    for (auto& item : batch) TRY(printer_.print(std::move(item)));
    TRY(patience_.retry_until_written([&] { return printer_.sync(); }));
    TRY(patience_.retry_until_written([&] { return journal_.commit(entries); }));
    settled_.add(batch.size());
    return {};
  }

 private:
  journal::SqliteJournal& journal_;
  journal::DiskFullWait& patience_;
  Printer& printer_;
  const Clock& clock_;
  jobs::SettledCount& settled_;
};

constexpr std::size_t kBatch = 1'000;

std::size_t in_flight(const EachOptions& options) {
  return std::max<std::size_t>(512, 8 * options.workers);
}

engine::PipelineOptions pipeline_options(const EachOptions& options,
                                         const command::Context& context) {
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

}  // namespace

Result<void> check(const EachOptions& options) {
  TRY(jobs::check(options.files));
  return check_command(options);
}

Result<void> check_command(const EachOptions& options) {
  if (!options.shell) TRY(proc::resolve_program(options.command.front()));
  return make_results(options.results);
}

// Long, but straight: shared objects, the pipeline, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<FileRunOutcome> work(const EachOptions& options, const FileRunRequest& assignment,
                            run::Run& run, command::Context& context) {
  journal::SqliteJournal& journal = run.journal();
  const std::string spill = run.folder().spill();
  const std::string ending_before = run.card().ending;
  TRY(prepare(options, run));
  tell_of_fleet(run, context.console);
  LET(auto unprinted, collect_unprinted(spill, journal));

  // Shared objects.
  journal::DiskFullWait patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  LET(run::InFlightLog* const in_flight,
      run.start_in_flight(options.workers, 2 * (in_flight(options) + kBatch)));
  LET(const engine::Tally before, journal.tally());
  LET(const engine::TaskId first_id, journal.next_id());
  LET(auto source, jobs::finder_source(options.files, kTaskType, assignment, run, context.clock));
  LET(const auto printer, Printer::make(options, spill, context.console, std::move(unprinted)));
  Stopper* halting = nullptr;
  LET(const auto commands,
      CommandRunner::make(
          {.options = options,
           .run_id = run.folder().id(),
           .mark = run.card().mark,
           .spill_folder = spill,
           .in_flight = *in_flight,
           .clock = context.clock,
           .letters_before = before.dead(),
           .on_halt = [&](HaltRule::Manner manner) { halting->halt(manner); },
           .on_shortage =
               [&](const Failure& failure) {
                 context.console.say(command::Tone::warning,
                                     "Commands are delayed: " + text_of(failure) + ".");
               },
           .keep =
               [&](const engine::TaskContext& task, EachItem& item, const Failure* failure) {
                 return patience.retry_until_written(
                     [&] { return printer->keep(task.worker(), item, task.attempt(), failure); });
               }}));

  // Finder, sink, pipeline, stopper, progress. From here on tasks are found.
  jobs::Finder finder(std::move(source), journal, patience, context.clock, first_id);
  jobs::SettledCount settled;
  // No thread may wait for names that will not arrive, or for tasks that were dropped.
  const auto stop_feeding = [&] {
    finder.stop();
    settled.stop_waiting();
  };
  EachSink sink(journal, patience, *printer, context.clock, settled);
  auto settings = pipeline_options(options, context);
  settings.pool.on_retry = [&](const engine::Retrial& retrial) {
    auto noted = journal::note_retry(retrial, journal, patience, context.clock);
    if (noted && options.report == EachOutput::jsonl) {
      noted = context.console.out(command::retry_event(retrial));
    }
    if (!noted) halting->halt(HaltRule::Manner::now);
    return noted;
  };
  LET(const auto pipeline, EachPipeline::make(
                               std::move(settings),
                               [&](EachItem& item, engine::TaskContext& task) {
                                 auto verdict = commands->perform(item, task);
                                 if (task.is_fatal()) stop_feeding();
                                 return verdict;
                               },
                               [&](std::span<EachPipeline::Item> batch) {
                                 auto kept = sink.settle(batch);
                                 // The run is lost: do not wait for commands that may run for
                                 // hours.
                                 if (!kept) halting->halt(HaltRule::Manner::now);
                                 return kept;
                               }));
  Stopper stopper({.stop_intake =
                       [&] {
                         stop_feeding();
                         pipeline->stop();
                         patience.give_up();
                       },
                   .end_all = [&](proc::StopUrge urge) { commands->end_all(urge); }},
                  context.stop, context.kill, context.clock, options.timeout);
  halting = &stopper;
  if (const auto& failure = stopper.failure()) return std::unexpected(*failure);
  history::HistoryRecorder history(&journal, context.clock, [&] {
    return history::timings_of(pipeline->stats(), pipeline->slowest());
  });
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {},
          [&] {
            engine::PoolStats stats = pipeline->stats();
            return engine::ProgressInputs{
                .counts = jobs::counts_so_far(before, pipeline->counts(), finder),
                .is_total_known = finder.state().has_ended,
                .workers = std::move(stats.workers),
                .waiting = stats.queued + stats.waiting,
                .waits_for = waits_of(stats, options.rate.has_value())};
          },
          [&](const engine::ProgressSnapshot& snapshot) {
            history.observe(snapshot);
            context.console.show(snapshot);
          },
          context.clock));
  if (options.report == EachOutput::jsonl) {
    TRY(context.console.out(start_event(run.folder().id(), options)));
  }

  // The work: first the output that an earlier process did not print, then the tasks.
  const Instant began = context.clock.now();
  jobs::Feeder feeder({.order = options.files.order,
                       .only = assignment.only,
                       .first_new = first_id,
                       .task_type = kTaskType},
                      journal, finder, [&](std::uint64_t fed) { return settled.wait_for(fed); });
  const Bytes task_size{2 * options.keep_output.count};  // the most that one task keeps in memory
  engine::FlowReport report = pipeline->run([&](EachPipeline::Intake& intake) -> Result<void> {
    TRY(printer->start());
    return feeder.feed(
        {.put =
             [&](const engine::TaskRecord& task, std::uint64_t sequence) {
               EachItem item{.id = task.id, .name = task.subject, .sequence = sequence};
               return intake.feed(std::move(item), task_size,
                                  {.id = task.id, .weight = task.weight}, task.attempts);
             },
         .is_stopped = [&] { return intake.is_stopped(); }});
  });

  // The end, in reverse order.
  finder.stop();
  (void)finder.wait_for_the_end();
  reporter->finish();
  return conclude_work(std::move(report), {.options = options,
                                           .assignment = assignment,
                                           .run = run,
                                           .finder = finder,
                                           .printer = *printer,
                                           .stopper = stopper,
                                           .ending_before = ending_before,
                                           .elapsed = context.clock.now() - began});
}

}  // namespace tidemill::each
