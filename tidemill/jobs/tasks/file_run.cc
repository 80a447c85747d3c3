#include "tidemill/jobs/tasks/file_run.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "tidemill/base/bytes.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/tasks/feeder.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/jobs/tasks/settled_count.h"
#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/ui/command/pauses.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::jobs {
namespace {

using command::Flag;
using command::ValueKind;

constexpr std::size_t kBatch = 1'000;
constexpr std::size_t kShownBytes = 160;  // of a result, in the journal: for `show`

struct FileTask {
  engine::TaskId id = 0;
  std::string path{};
};
using FilePipeline = engine::Pipeline<FileTask, std::string>;

std::size_t in_flight(const FileOptions& options) {
  return std::max<std::size_t>(512, 8 * options.workers);
}

engine::PipelineOptions pipeline_options(const FileOptions& options,
                                         const command::Context& context) {
  engine::PipelineOptions pipeline;
  pipeline.pool.workers = options.workers;
  pipeline.pool.types = {{.name = std::string(kFileType), .timeout = options.timeout}};
  pipeline.pool.retry = options.retry;
  if (options.rate) pipeline.pool.rate.per_second = *options.rate;
  pipeline.pool.clock = &context.clock;
  pipeline.pool.log = &context.log;
  pipeline.in_flight = {.items = in_flight(options), .bytes = mib(64)};
  pipeline.results = mib(64);
  pipeline.batch_items = kBatch;
  return pipeline;
}

// Marks a file as running in the in-flight log; the destructor clears the mark, also when perform()
// throws.
class InHand {
 public:
  InHand(run::InFlightLog& in_flight, std::size_t worker, engine::TaskId task)
      : in_flight_(in_flight), worker_(worker) {
    in_flight_.takes(worker_, task);
  }
  InHand(const InHand&) = delete;
  InHand& operator=(const InHand&) = delete;
  ~InHand() { in_flight_.takes(worker_, 0); }

 private:
  run::InFlightLog& in_flight_;
  const std::size_t worker_;
};

// The journal entries of one batch.
std::vector<engine::Entry> entries_of(std::span<const FilePipeline::Item> batch, WallTime now) {
  std::vector<engine::Entry> entries;
  entries.reserve(batch.size());
  for (const FilePipeline::Item& item : batch) {
    if (const std::string* result = item.done()) {
      entries.emplace_back(engine::Done{
          .id = item.id, .attempts = item.attempts, .result = result->substr(0, kShownBytes)});
    } else if (const engine::Skip* skip = item.skipped()) {
      entries.emplace_back(engine::Skipped{.id = item.id, .reason = skip->reason});
    } else {
      entries.emplace_back(engine::Died{
          .id = item.id, .attempts = item.attempts, .failure = *item.failed(), .at = now});
    }
  }
  return entries;
}

void show_items(std::span<const FilePipeline::Item> batch, command::Console& console) {
  if (!console.wants_items()) return;
  for (const FilePipeline::Item& item : batch) {
    command::SettledItem settled{.name = item.item.path};
    if (const Failure* failure = item.failed()) {
      settled.state = command::ItemState::failed;
      settled.details.push_back(text_of(*failure));
    } else if (const engine::Skip* skip = item.skipped()) {
      settled.details.push_back("skipped: " + skip->reason);
    } else {
      settled.details.push_back(item.done()->substr(0, kShownBytes));
    }
    console.settled(std::move(settled));
  }
}

// Stores the results first, then commits the files as done. When store() is repeated, it gets the
// same batch.
Result<void> settle(std::span<FilePipeline::Item> batch, FileWork& work,
                    journal::SqliteJournal& journal, journal::DiskFullWait& patience,
                    command::Context& context) {
  const std::vector<engine::Entry> entries = entries_of(batch, context.clock.wall());
  show_items(batch, context.console);
  std::vector<FileResult> results;
  for (FilePipeline::Item& item : batch) {
    auto* result = std::get_if<std::string>(&item.outcome);
    if (result == nullptr) continue;
    results.push_back({.path = std::move(item.item.path), .result = std::move(*result)});
  }
  if (!results.empty()) TRY(patience.retry_until_written([&] { return work.store(results); }));
  return patience.retry_until_written([&] { return journal.commit(entries); });
}

// If the user stops a run that waits for disk space, it was interrupted; it has not failed.
Result<std::string> ending_of(const command::Context& context, const engine::FlowReport& report,
                              const std::string& ending_before,
                              const journal::SqliteJournal& journal) {
  const bool is_lost = report.fatal && report.fatal->cure != Cure::retry;
  if (context.stop.stop_requested() && !is_lost) return std::string(run::kInterrupted);
  if (report.fatal) return std::string(run::kFailed);
  return ending_by_itself(ending_before, journal);
}

}  // namespace

std::vector<Flag> file_job_flags() {
  std::vector<Flag> flags = source_flags("Which files");
  const std::string running = "Running";
  const std::string failing = "When a file fails";
  const std::vector<Flag> more = {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "parallel tasks; 0 = all cores",
       .fallback = "0",
       .group = running,
       .most = "1024",
       .is_basic = true},
      {.name = "rate",
       .kind = ValueKind::rate,
       .metavar = "N/s",
       .help = "maximum rate of starts, over all workers",
       .group = running},
      {.name = "timeout",
       .letter = 't',
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time limit per file",
       .group = running},
      {.name = "attempts",
       .letter = 'a',
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "attempts per file for transient failures, including the first",
       .fallback = "3",
       .group = failing,
       .least = "1",
       .most = "1000"},
      {.name = "backoff",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "longest wait before the second attempt; doubles with each further one",
       .fallback = "200ms",
       .group = failing},
      {.name = "json",
       .help = "print the summary as one JSON object at the end",
       .is_configurable = false,
       .group = "Output"},
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

Result<FileOptions> file_options_of(const command::Values& values) {
  FileOptions options;
  LET(options.files, source_of(values));
  const auto cpus = std::max(1U, std::thread::hardware_concurrency());
  const auto jobs = values.count_of("jobs");
  options.workers = static_cast<std::size_t>(jobs > 0 ? jobs : cpus);
  options.rate = values.rate("rate");
  options.timeout = values.duration("timeout").value_or(options.timeout);
  options.retry.max_attempts = static_cast<int>(values.count_of("attempts"));
  options.retry.first_delay = values.duration_of("backoff");
  options.is_json = values.is_on("json");
  return options;
}

// Long, but straight: shared objects, the pipeline, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<FileRunOutcome> work_on_files(const FileOptions& options, const FileRunRequest& assignment,
                                     FileWork& work, run::Run& run, command::Context& context,
                                     const std::function<void()>& leave) {
  journal::SqliteJournal& journal = run.journal();
  const std::string ending_before = run.card().ending;

  // Shared objects.
  journal::DiskFullWait patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  LET(run::InFlightLog* const in_flight, run.start_in_flight(options.workers, 1));
  LET(const engine::Tally before, journal.tally());
  LET(const engine::TaskId first_id, journal.next_id());
  LET(auto source, finder_source(options.files, kFileType, assignment, run, context.clock));

  // Finder, pipeline, stop callbacks, progress. From here on files are found.
  Finder finder(std::move(source), journal, patience, context.clock, first_id);
  SettledCount settled;
  // No thread may wait for names that will not arrive, or for tasks that were dropped.
  const auto stop_feeding = [&] {
    finder.stop();
    settled.stop_waiting();
  };
  auto settings = pipeline_options(options, context);
  settings.pool.on_retry = [&](const engine::Retrial& retrial) {
    auto noted = journal::note_retry(retrial, journal, patience, context.clock);
    if (!noted) stop_feeding();
    return noted;
  };
  LET(const auto pipeline,
      FilePipeline::make(
          std::move(settings),
          [&](FileTask& task, engine::TaskContext& on) -> Result<FileVerdict> {
            on.note(task.path);
            const InHand in_hand(*in_flight, on.worker(), task.id);
            auto verdict = work.perform(task.path, on);
            if (on.is_fatal()) stop_feeding();
            return verdict;
          },
          [&](std::span<FilePipeline::Item> batch) {
            auto kept = settle(batch, work, journal, patience, context);
            if (!kept) stop_feeding();
            if (kept) settled.add(batch.size());
            return kept;
          },
          [](const std::string& result) { return Bytes{sizeof(FileResult) + result.size()}; }));
  const std::stop_callback on_stop(context.stop, [&] {
    stop_feeding();
    pipeline->stop();
    patience.give_up();
  });
  const std::stop_callback on_kill(context.kill, [&] {
    // The user ends the process: its running files must not become suspects.
    for (std::size_t i = 0; i < options.workers; ++i) in_flight->takes(i, 0);
    leave();
  });
  history::HistoryRecorder history(&journal, context.clock, [&] {
    return history::timings_of(pipeline->stats(), pipeline->slowest());
  });
  LET(const auto reporter, engine::ProgressReporter::start(
                               {},
                               [&] {
                                 engine::PoolStats stats = pipeline->stats();
                                 return engine::ProgressInputs{
                                     .counts = counts_so_far(before, pipeline->counts(), finder),
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

  // The work.
  const Instant began = context.clock.now();
  Feeder feeder({.order = options.files.order,
                 .only = assignment.only,
                 .first_new = first_id,
                 .task_type = kFileType},
                journal, finder, [&](std::uint64_t fed) { return settled.wait_for(fed); });
  engine::FlowReport report = pipeline->run([&](FilePipeline::Intake& intake) {
    return feeder.feed({.put =
                            [&](const engine::TaskRecord& task, std::uint64_t /*sequence*/) {
                              return intake.feed({.id = task.id, .path = task.subject},
                                                 Bytes{sizeof(FileTask) + task.subject.size()},
                                                 {.id = task.id, .weight = task.weight},
                                                 task.attempts);
                            },
                        .is_stopped = [&] { return intake.is_stopped(); }});
  });

  // The end, in reverse order.
  finder.stop();
  const Finder::State found = finder.wait_for_the_end();
  reporter->finish();
  if (!report.fatal && found.failure && !report.was_stopped) report.fatal = found.failure;
  if (!report.fatal && !report.was_stopped) report.fatal = list_lost(assignment, run);
  const auto ending = ending_of(context, report, ending_before, journal);
  return end_run(run, outcome_of(ending, std::move(report), context.clock.now() - began));
}

}  // namespace tidemill::jobs
