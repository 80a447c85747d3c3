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
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/ui/command/pauses.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::jobs {
namespace {

using command::Flag;
using command::Kind;

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

// While a worker has a file in hand, the slate says so. An exception of perform() passes through.
class InHand {
 public:
  InHand(run::Slate& slate, std::size_t worker, engine::TaskId task)
      : slate_(slate), worker_(worker) {
    slate_.takes(worker_, task);
  }
  InHand(const InHand&) = delete;
  InHand& operator=(const InHand&) = delete;
  ~InHand() { slate_.takes(worker_, 0); }

 private:
  run::Slate& slate_;
  const std::size_t worker_;
};

// What one batch says to the journal.
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

// First the results, then that they are there. store() is given the same batch each time it has to
// be asked again.
Result<void> settle(std::span<FilePipeline::Item> batch, FileWork& work,
                    journal::SqliteJournal& journal, journal::Patience& patience,
                    command::Context& context) {
  const std::vector<engine::Entry> entries = entries_of(batch, context.clock.wall());
  show_items(batch, context.console);
  std::vector<FileResult> results;
  for (FilePipeline::Item& item : batch) {
    auto* result = std::get_if<std::string>(&item.outcome);
    if (result == nullptr) continue;
    results.push_back({.path = std::move(item.item.path), .result = std::move(*result)});
  }
  if (!results.empty()) TRY(patience.insist([&] { return work.store(results); }));
  return patience.insist([&] { return journal.commit(entries); });
}

// A full disk is no failure of a run that was waiting for room when the user stopped it.
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
       .kind = Kind::count,
       .metavar = "N",
       .help = "parallel tasks; 0 = all cores",
       .fallback = "0",
       .group = running,
       .most = "1024",
       .is_basic = true},
      {.name = "rate",
       .kind = Kind::rate,
       .metavar = "N/s",
       .help = "maximum rate of starts, over all workers",
       .group = running},
      {.name = "timeout",
       .letter = 't',
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "time limit per file",
       .group = running},
      {.name = "attempts",
       .letter = 'a',
       .kind = Kind::count,
       .metavar = "N",
       .help = "attempts per file for transient failures, including the first",
       .fallback = "3",
       .group = failing,
       .least = "1",
       .most = "1000"},
      {.name = "backoff",
       .kind = Kind::duration,
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

// Long, and one straight line: what everything uses, the machine, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<Outcome> work_on_files(const FileOptions& options, const Assignment& assignment,
                              FileWork& work, run::Run& run, command::Context& context,
                              const std::function<void()>& leave) {
  journal::SqliteJournal& journal = run.journal();
  const std::string ending_before = run.card().ending;

  // What everything else uses.
  journal::Patience patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  LET(run::Slate* const slate, run.start_slate(options.workers, 1));
  LET(const engine::Tally before, journal.tally());
  LET(const engine::TaskId first_id, journal.next_id());
  LET(auto source, finder_source(options.files, kFileType, assignment, run, context.clock));

  // The machine. From here on files may be performed.
  Finder finder(std::move(source), journal, patience, context.clock, first_id);
  SettledCount settled;
  // The run is lost: nobody may wait for names that do not come or for tasks that were dropped.
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
            const InHand in_hand(*slate, on.worker(), task.id);
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
    // The user's doing, and no crash: nobody is to blame.
    for (std::size_t i = 0; i < options.workers; ++i) slate->takes(i, 0);
    leave();
  });
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

  // The work itself.
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

  // The end, in the opposite order.
  finder.stop();
  const Finder::State found = finder.wait_for_the_end();
  reporter->finish();
  if (!report.fatal && found.failure && !report.was_stopped) report.fatal = found.failure;
  if (!report.fatal && !report.was_stopped) report.fatal = list_lost(assignment, run);
  const auto ending = ending_of(context, report, ending_before, journal);
  return end_run(run, outcome_of(ending, std::move(report), context.clock.now() - began));
}

}  // namespace tidemill::jobs
