// The files of this job, in the order in which a task passes through them:
//   options, verb                 the command line
//   sources: sweep, webhook       commands in documents become tasks in the journal
//   register, subject             which commands are new, and which task is next
//   command_executor              executes one task; for a command, the plan:
//     commands, blocks            parse and change a document's text: markdown, patch
//     written                     lines that assistants wrote into documents
//     decide, advice              make the decision: assistant, prompts, taxonomy, decision
//     plan, effects               the steps that carry it out
//   result_writer, events         journal the result, then show it
//   servers, docs_server, caller  both servers over HTTP, behind outline.h and assistant.h
//   rehearse                      --dry-run
#include "tidemill/jobs/docs/docs.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/docs/command_executor.h"
#include "tidemill/jobs/docs/events.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/jobs/docs/result_writer.h"
#include "tidemill/jobs/docs/server/servers.h"
#include "tidemill/jobs/docs/sources.h"
#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/ui/command/events.h"
#include "tidemill/ui/command/pauses.h"

namespace tidemill::docs {
namespace {

// Checkpoints that wait for a full disk to have room again, like all other writes to the journal.
// Thread-safe.
class PatientCheckpoints final : public engine::Checkpoints {
 public:
  PatientCheckpoints(engine::Journal& journal, journal::DiskFullWait& patience)
      : kept_(journal), patience_(patience) {}

  Result<std::optional<engine::Checkpoint>> load(engine::TaskId id) override {
    return kept_.load(id);
  }
  Result<void> save(engine::TaskId id, const engine::Checkpoint& checkpoint) override {
    return patience_.retry_until_written([&] { return kept_.save(id, checkpoint); });
  }
  Result<void> clear(engine::TaskId id) override {
    return patience_.retry_until_written([&] { return kept_.clear(id); });
  }

 private:
  engine::JournalCheckpoints kept_;
  journal::DiskFullWait& patience_;
};

using command::Tone;

constexpr std::chrono::hours kTaxonomyLasts{1};
constexpr std::size_t kInFlight = 4'096;  // most wait for a retry or a rate limit

engine::PipelineOptions pipeline_options(const DocsOptions& options,
                                         const command::Context& context) {
  engine::PipelineOptions pipeline;
  pipeline.pool.workers = options.workers;
  pipeline.pool.types = {{.name = std::string(kCommandType)},
                         {.name = std::string(kDocumentType)},
                         {.name = std::string(kNoticeType)}};
  pipeline.pool.retry = options.retry;
  pipeline.pool.waiting_limit = 2 * kInFlight;
  pipeline.pool.clock = &context.clock;
  pipeline.pool.log = &context.log;
  pipeline.in_flight = {.items = kInFlight, .bytes = mib(64)};
  return pipeline;
}

// Commands of users come before our own searches.
engine::TaskTraits traits_of(const engine::TaskRecord& task) {
  if (task.type == kCommandType) return {.id = task.id, .priority = engine::Priority::high};
  if (task.type == kDocumentType) return {.id = task.id, .type = 1};
  return {.id = task.id, .type = 2};
}

Result<void> feed_all(Register& tasks, DocsPipeline::Intake& intake) {
  while (auto task = tasks.next()) {
    const engine::TaskTraits traits = traits_of(*task);
    const int attempts = task->attempts;
    const Bytes size{sizeof(DocsItem) + task->subject.size()};
    if (!intake.feed(DocsItem{.task = *std::move(task)}, size, traits, attempts)) break;
  }
  return {};
}

// Fails early if the key is not accepted. Other failures are ignored here: the server may have
// recovered when it is needed.
Result<void> check_key(DocsServer& server, command::Context& context) {
  LET(const auto outline, connect_outline(server, context.stop));
  const auto name = outline->who();
  if (!name && name.error().cure == Cure::give_up) return std::unexpected(name.error());
  return {};
}

void tell_of(const Abilities& can, command::Console& console) {
  if (!can.edits_parts || can.guards_revisions) return;
  console.say(Tone::warning,
              "This version of Outline ignores lastRevision: texts are changed by patches only, "
              "and titles are suggested in comments instead of being set.");
}

// In the state folder, shared by all runs.
std::string written_path(const run::RunFolder& folder) {
  return std::filesystem::path(folder.path()).parent_path().parent_path() / "docs-written";
}

}  // namespace

// Long, but straight: connect, shared state, stages, run, finish.
// NOLINTNEXTLINE(readability-function-size)
Result<DocsOutcome> work(const DocsOptions& options, const Secrets& secrets,
                         const DocsRunRequest& request, run::Run& run, command::Context& context) {
  const Instant began = context.clock.now();
  journal::SqliteJournal& journal = run.journal();
  DocsServer outline(outline_options(options, secrets), context.clock,
                     observer_for(options.url, context.console));
  DocsServer assistant(assistant_options(options, secrets), context.clock,
                       observer_for(options.ai_url, context.console));
  TRY(outline.options().gate.check());
  TRY(assistant.options().gate.check());
  warn_of_exposed(options, secrets, context.console);
  outline.on_abilities([&](const Abilities& can) { tell_of(can, context.console); });
  TRY(check_key(outline, context));

  // Shared state.
  journal::DiskFullWait patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  PatientCheckpoints checkpoints(journal, patience);
  LET(const engine::Tally before, journal.tally());
  Register tasks;
  TRY(tasks.load(journal));
  LET(const auto written, Written::open(written_path(run.folder())));
  StepTally tally(journal.history().value_or(history::RunHistory{}));
  TaxonomyCache taxonomy(context.clock, kTaxonomyLasts);
  LET(const auto executor, CommandExecutor::make({.options = options,
                                                  .mark = run.card().mark,
                                                  .run_id = run.folder().id(),
                                                  .outline = outline,
                                                  .assistant = assistant,
                                                  .taxonomy = taxonomy,
                                                  .written = *written,
                                                  .tally = tally,
                                                  .checkpoints = checkpoints,
                                                  .clock = context.clock,
                                                  .stop = context.stop}));
  ResultWriter result_writer(journal, patience, tasks, run.folder().id(), context.clock,
                             [&](const DocsPipeline::Item& item) -> Result<void> {
                               if (context.console.wants_items())
                                 context.console.settled(settled_item(item));
                               if (options.report != DocsOutput::jsonl) return {};
                               return context.console.out(task_event(item));
                             });

  // Stages: sources, pipeline, result writer.
  auto settings = pipeline_options(options, context);
  settings.pool.on_retry = [&](const engine::Retrial& retrial) {
    auto noted = journal::note_retry(retrial, journal, patience, context.clock);
    if (!noted || options.report != DocsOutput::jsonl) return noted;
    return context.console.out(command::retry_event(retrial));
  };
  LET(const auto pipeline,
      DocsPipeline::make(
          std::move(settings),
          [&](DocsItem& item, engine::TaskContext& task) { return executor->perform(item, task); },
          [&](std::span<DocsPipeline::Item> batch) { return result_writer.settle(batch); }));
  std::optional<Failure> lost;  // written by the searching thread before it ends, read after
  CommandSources sources({.options = options,
                          .outline = outline,
                          .tasks = tasks,
                          .journal = journal,
                          .patience = patience,
                          .clock = context.clock,
                          .stop = context.stop,
                          .on_failure = [&](const Failure& failure) {
                            lost = failure;
                            tasks.stop();
                          }});
  const auto stop_all = [&] {
    sources.stop();
    tasks.stop();
    pipeline->stop();
    patience.give_up();
  };
  const std::stop_callback on_stop(context.stop, stop_all);
  if (request.only_pending) {
    tasks.sources_have_ended();
  } else {
    TRY(sources.start(secrets.webhook));
    if (const auto port = sources.webhook_port()) {
      context.console.say(Tone::plain, "Listening for webhooks on port " + std::to_string(*port));
    }
  }
  history::HistoryRecorder history(&journal, context.clock, [&] {
    return history::timings_of(pipeline->stats(), pipeline->slowest());
  });
  LET(const auto reporter, engine::ProgressReporter::start(
                               {},
                               [&] {
                                 const engine::FlowCounts here = pipeline->counts();
                                 engine::PoolStats stats = pipeline->stats();
                                 return engine::ProgressInputs{
                                     .counts = {.found = tasks.found(),
                                                .done = before.done() + here.done,
                                                .skipped = before.skipped() + here.skipped,
                                                .failed = before.failed() + here.failed},
                                     .is_total_known = request.only_pending || sources.have_ended(),
                                     .workers = std::move(stats.workers),
                                     .waiting = stats.queued + stats.waiting,
                                     .waits_for = waits_of(stats, false)};
                               },
                               [&](const engine::ProgressSnapshot& snapshot) {
                                 history.observe(snapshot);
                                 context.console.show(snapshot);
                               },
                               context.clock));
  if (options.report == DocsOutput::jsonl) {
    TRY(context.console.out(start_event(run.folder().id(), options)));
  }

  // Run.
  engine::FlowReport report =
      pipeline->run([&](DocsPipeline::Intake& intake) { return feed_all(tasks, intake); });

  // Finish.
  sources.stop();
  sources.join();
  reporter->finish();
  history::keep_parts(&journal, {tally.part()});
  if (!report.fatal && lost) report.fatal = lost;
  DocsOutcome outcome{.cause = report.fatal,
                      .documents = sources.documents(),
                      .warned = tasks.warned(),
                      .outline = outline.counts(),
                      .assistant = assistant.counts(),
                      .webhook = sources.webhooks()};
  LET(outcome.tally, journal.tally());
  outcome.ending = report.fatal                    ? run::kFailed
                   : context.stop.stop_requested() ? run::kInterrupted
                   : outcome.tally.pending() == 0  ? run::kComplete
                                                   : run::kInterrupted;
  if (!request.only_pending && outcome.ending == run::kComplete) {
    const journal::Note found_all{.key = "found_all", .value = "1"};
    TRY(journal.commit({}, {&found_all, 1}));
  }
  outcome.elapsed = context.clock.now() - began;
  TRY(run.end(outcome.ending, outcome.cause ? text_of(*outcome.cause) : ""));
  return outcome;
}

}  // namespace tidemill::docs
