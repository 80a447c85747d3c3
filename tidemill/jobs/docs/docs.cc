// The files of this job, in the order in which a task meets them:
//   options, verb            what was asked
//   sources: sweep, webhook  commands in documents become tasks in the journal
//   register, subject        which of them are new, and what is next
//   performer                one task; a command is the plan:
//     commands, blocks       what stands in a document: markdown, patch
//     written                what assistants wrote there
//     decide, advice         what is to be done: assistant, prompts, taxonomy, decision
//     plan, effects          the steps that do it
//   clerk, events            how it ended is written down, then shown
//   servers, wire, caller    both servers over HTTP, behind outline.h and assistant.h
//   rehearse                 --dry-run
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
#include "tidemill/jobs/docs/clerk.h"
#include "tidemill/jobs/docs/events.h"
#include "tidemill/jobs/docs/performer.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/jobs/docs/server/servers.h"
#include "tidemill/jobs/docs/sources.h"
#include "tidemill/state/journal/note_retry.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/ui/command/events.h"
#include "tidemill/ui/command/pauses.h"

namespace tidemill::docs {
namespace {

// A checkpoint that does not fit on a full disk is waited for, as everything else that goes into
// the journal is. Thread-safe.
class PatientCheckpoints final : public engine::Checkpoints {
 public:
  PatientCheckpoints(engine::Journal& journal, journal::Patience& patience)
      : kept_(journal), patience_(patience) {}

  Result<std::optional<engine::Checkpoint>> load(engine::TaskId id) override {
    return kept_.load(id);
  }
  Result<void> save(engine::TaskId id, const engine::Checkpoint& checkpoint) override {
    return patience_.insist([&] { return kept_.save(id, checkpoint); });
  }
  Result<void> clear(engine::TaskId id) override {
    return patience_.insist([&] { return kept_.clear(id); });
  }

 private:
  engine::JournalCheckpoints kept_;
  journal::Patience& patience_;
};

using command::Tone;

constexpr std::chrono::hours kTaxonomyLasts{1};
constexpr std::size_t kInFlight = 4'096;  // most of them wait for their moment, not for a worker

engine::PipelineOptions pipeline_options(const Options& options, const command::Context& context) {
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

// What a person asked for comes before what we look for ourselves.
engine::TaskTraits traits_of(const engine::TaskRecord& task) {
  if (task.type == kCommandType) return {.id = task.id, .priority = engine::Priority::high};
  if (task.type == kDocumentType) return {.id = task.id, .type = 1};
  return {.id = task.id, .type = 2};
}

Result<void> feed_all(Register& tasks, DocsPipeline::Intake& intake) {
  while (auto task = tasks.next()) {
    const engine::TaskTraits traits = traits_of(*task);
    const int attempts = task->attempts;
    const Bytes size{sizeof(Piece) + task->subject.size()};
    if (!intake.feed(Piece{.task = *std::move(task)}, size, traits, attempts)) break;
  }
  return {};
}

// A key that is not accepted is found out before anything else. A server in trouble may be well
// again when it is needed.
Result<void> introduce(Server& server, command::Context& context) {
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

// In the state folder, for all runs.
std::string written_path(const run::RunFolder& folder) {
  return std::filesystem::path(folder.path()).parent_path().parent_path() / "docs-written";
}

}  // namespace

// Long, and one straight line: what everything uses, the machine, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<Outcome> work(const Options& options, const Secrets& secrets, const Assignment& assignment,
                     run::Run& run, command::Context& context) {
  const Instant began = context.clock.now();
  journal::SqliteJournal& journal = run.journal();
  Server outline(outline_options(options, secrets), context.clock,
                 observer_for(options.url, context.console));
  Server assistant(assistant_options(options, secrets), context.clock,
                   observer_for(options.ai_url, context.console));
  TRY(outline.options().gate.check());
  TRY(assistant.options().gate.check());
  warn_of_exposed(options, secrets, context.console);
  outline.on_abilities([&](const Abilities& can) { tell_of(can, context.console); });
  TRY(introduce(outline, context));

  // What everything else uses.
  journal::Patience patience(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  PatientCheckpoints checkpoints(journal, patience);
  LET(const engine::Tally before, journal.tally());
  Register tasks;
  TRY(tasks.load(journal));
  LET(const auto written, Written::open(written_path(run.folder())));
  TaxonomyCache taxonomy(context.clock, kTaxonomyLasts);
  LET(const auto performer, Performer::make({.options = options,
                                             .mark = run.card().mark,
                                             .run_id = run.folder().id(),
                                             .outline = outline,
                                             .assistant = assistant,
                                             .taxonomy = taxonomy,
                                             .written = *written,
                                             .checkpoints = checkpoints,
                                             .clock = context.clock,
                                             .stop = context.stop}));
  Clerk clerk(journal, patience, tasks, run.folder().id(), context.clock,
              [&](const DocsPipeline::Item& item) -> Result<void> {
                if (context.console.wants_items()) context.console.settled(settled_item(item));
                if (options.report != Report::jsonl) return {};
                return context.console.out(task_event(item));
              });

  // The machine: sources, pipeline, clerk.
  auto settings = pipeline_options(options, context);
  settings.pool.on_retry = [&](const engine::Retrial& retrial) {
    auto noted = journal::note_retry(retrial, journal, patience, context.clock);
    if (!noted || options.report != Report::jsonl) return noted;
    return context.console.out(command::retry_event(retrial));
  };
  LET(const auto pipeline,
      DocsPipeline::make(
          std::move(settings),
          [&](Piece& piece, engine::TaskContext& task) { return performer->perform(piece, task); },
          [&](std::span<DocsPipeline::Item> batch) { return clerk.settle(batch); }));
  std::optional<Failure> lost;  // written by the searching thread before it ends, read after
  Sources sources({.options = options,
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
  if (assignment.only_pending) {
    tasks.sources_have_ended();
  } else {
    TRY(sources.start(secrets.webhook));
    if (const auto port = sources.webhook_port()) {
      context.console.say(Tone::plain, "Listening for webhooks on port " + std::to_string(*port));
    }
  }
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {},
          [&] {
            const engine::FlowCounts here = pipeline->counts();
            engine::PoolStats stats = pipeline->stats();
            return engine::ProgressInputs{
                .counts = {.found = tasks.found(),
                           .done = before.done() + here.done,
                           .skipped = before.skipped() + here.skipped,
                           .failed = before.failed() + here.failed},
                .is_total_known = assignment.only_pending || sources.have_ended(),
                .workers = std::move(stats.workers),
                .waits_for = waits_of(stats, false)};
          },
          [&](const engine::ProgressSnapshot& snapshot) { context.console.show(snapshot); },
          context.clock));
  if (options.report == Report::jsonl) {
    TRY(context.console.out(start_event(run.folder().id(), options)));
  }

  // The work itself.
  engine::FlowReport report =
      pipeline->run([&](DocsPipeline::Intake& intake) { return feed_all(tasks, intake); });

  // The end.
  sources.stop();
  sources.join();
  reporter->finish();
  if (!report.fatal && lost) report.fatal = lost;
  Outcome outcome{.cause = report.fatal,
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
  if (!assignment.only_pending && outcome.ending == run::kComplete) {
    const journal::Note found_all{.key = "found_all", .value = "1"};
    TRY(journal.commit({}, {&found_all, 1}));
  }
  outcome.elapsed = context.clock.now() - began;
  TRY(run.end(outcome.ending, outcome.cause ? text_of(*outcome.cause) : ""));
  return outcome;
}

}  // namespace tidemill::docs
