#include "tidemill/jobs/each/fleet/coordinator.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/host_name.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/each/ending.h"
#include "tidemill/jobs/each/fleet/payload.h"
#include "tidemill/jobs/each/fleet/recipe.h"
#include "tidemill/jobs/each/fleet/sink.h"
#include "tidemill/jobs/each/output/events.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/jobs/each/output/unprinted.h"
#include "tidemill/jobs/each/stopper.h"
#include "tidemill/jobs/tasks/feeder.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/drive.h"
#include "tidemill/state/fleet/drive_progress.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/state/fleet/roots.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/ui/command/pauses.h"
#include "tidemill/ui/redis_flags/advice.h"

namespace tidemill::each {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReportsAtOnce = 32;     // in one commit
constexpr std::size_t kOutcomesKept = 16'384;  // of one commit, in the in-flight log

Result<std::vector<fleet::FleetRoot>> published(const EachRoots& roots) {
  std::vector<fleet::FleetRoot> all;
  for (const EachRoots::Root& root : roots.roots()) {
    LET(auto probed, fleet::probe(root.path));
    all.push_back({.name = root.name, .path = root.path, .probe = std::move(probed)});
  }
  return all;
}

Result<fleet::PublishedRun> published_run(const run::Run& run, const EachRoots& roots) {
  const run::RunCard& card = run.card();
  LET(auto probed, published(roots));
  return fleet::PublishedRun{.name = run.folder().id() + "-" + card.mark.substr(0, 8),
                             .id = run.folder().id(),
                             .host = host_name(),
                             .user = std::to_string(::getuid()),
                             .recipe = {.name = std::string(recipe().name()),
                                        .version = recipe().version(),
                                        .digest = recipe().digest()},
                             .settings = settings_of(card.arguments),
                             .roots = std::move(probed)};
}

engine::DispatcherOptions dispatching(const EachOptions& options, milliseconds term) {
  return {.retry = options.retry,
          .most_crashes = run::Run::kMostCrashes,
          .reports_at_once = kReportsAtOnce,
          .term = term};
}

void add(const engine::DispatcherCounts& counts, run::FleetTally& tally) {
  tally.sent += counts.parcels_sent;
  tally.taken_back += counts.parcels_taken_back;
  tally.missing += counts.parcels_missing;
  tally.stale += counts.stale_reports;
}

Result<std::string> current_folder() {
  std::array<char, PATH_MAX> folder{};
  if (::getcwd(folder.data(), folder.size()) == nullptr) {
    return fail(Cure::give_up, "folder", "the current folder does not exist any more");
  }
  return std::string(folder.data());
}

}  // namespace

// Long, but straight: shared objects, the fleet, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<jobs::FileRunOutcome> work_on_fleet(const EachOptions& options,
                                           const jobs::FileRunRequest& assignment,
                                           const redis_flags::FleetCall& on, run::Run& run,
                                           command::Context& context) {
  const redis_flags::FleetChoice& choice = on.choice;
  journal::SqliteJournal& journal = run.journal();
  const std::string spill = run.folder().spill();
  const std::string ending_before = run.card().ending;
  const std::string fleet_name = "redis:" + choice.fleet;
  TRY(prepare(options, run));
  LET(auto unprinted, collect_unprinted(spill, journal));

  // The fleet, before a task is found: a wrong address is told at once.
  LET(const std::string folder, current_folder());
  const EachRoots roots(options.files, folder);
  LET(auto to_publish, published_run(run, roots));
  to_publish.term = on.term;
  to_publish.weight = on.weight;
  const fleet::FleetPlace place{
      .fleet = choice.fleet, .run = to_publish.name, .key = choice.key, .term = to_publish.term};
  LET(const auto server, fleet::RedisFleet::make(choice.client, place, context.clock));
  LET(const auto client, redis::Client::make(choice.client, context.clock));
  fleet::FleetBoard board(*client, choice.fleet, choice.key);
  if (auto first = board.publish(to_publish); !first) {
    return std::unexpected(
        redis_flags::with_advice(std::move(first).error(), choice.client.address, fleet_name));
  }

  run::RunCard card = run.card();
  card.fleet = fleet_name;
  card.is_on_fleet = true;
  TRY(journal.commit({}, run::fleet_notes_of(card)));

  // Shared objects.
  journal::DiskFullWait disk_full(context.clock, [&](const Failure* failure) {
    command::tell_of_pause(context.console, failure);
  });
  LET(run::InFlightLog* const in_flight, run.start_in_flight(1, kOutcomesKept));
  LET(const engine::Tally before, journal.tally());
  LET(const engine::TaskId first_id, journal.next_id());
  LET(auto source, jobs::finder_source(options.files, kTaskType, assignment, run, context.clock));
  LET(const auto printer, Printer::make(options, spill, context.console, std::move(unprinted)));
  Stopper* halting = nullptr;
  history::AttemptTimes times;
  EachFleetSink sink({.options = options,
                      .journal = journal,
                      .disk_full = disk_full,
                      .printer = *printer,
                      .in_flight = *in_flight,
                      .console = context.console,
                      .clock = context.clock,
                      .times = times,
                      .letters_before = before.dead(),
                      .on_halt = [&](HaltRule::Manner manner) { halting->halt(manner); }});
  jobs::Finder finder(std::move(source), journal, disk_full, context.clock, first_id);
  fleet::FleetDrive drive(
      {.run = std::move(to_publish),
       .dispatcher = dispatching(options, on.term),
       .rate = options.rate},
      {.fleet = *server,
       .board = board,
       .journal = sink,
       .counts = [&] { return sink.counts(); },
       .clock = context.clock,
       .stop_feed = [&] { finder.stop(); },
       .on_nobody =
           [&](const std::string& host, const std::string& why) {
             context.console.say(command::Tone::warning, fleet::nobody_text(fleet_name, host, why));
           },
       .on_silence =
           [&](const Failure* failure) {
             context.console.say(command::Tone::warning, fleet::silence_text(failure));
           }});
  Stopper stopper({.stop_intake =
                       [&] {
                         finder.stop();
                         drive.stop_sending();
                         disk_full.give_up();
                       },
                   .end_all =
                       [&](proc::StopUrge urge) {
                         if (urge == proc::StopUrge::kill) return drive.leave();
                         drive.withdraw();
                       }},
                  context.stop, context.kill, context.clock, options.timeout);
  halting = &stopper;
  if (const auto& failure = stopper.failure()) return std::unexpected(*failure);
  history::HistoryRecorder history(&journal, context.clock, [&] { return times.timings(); });
  LET(const auto reporter, engine::ProgressReporter::start(
                               {},
                               [&] {
                                 const auto seen = drive.seen();
                                 return engine::ProgressInputs{
                                     .counts = jobs::counts_so_far(before, sink.counts(), finder),
                                     .is_total_known = finder.state().has_ended,
                                     .workers = fleet::rows_of(seen),
                                     .waits_for = fleet::waits_for(seen, fleet_name)};
                               },
                               [&](const engine::ProgressSnapshot& snapshot) {
                                 history.observe(snapshot, fleet::hosts_of(drive.seen()));
                                 context.console.show(snapshot);
                               },
                               context.clock));
  if (options.report == EachOutput::jsonl) {
    TRY(context.console.out(start_event(run.folder().id(), options)));
  }

  // The work: first the output that an earlier process did not print, then the tasks. Suspects
  // need no waiting here: the dispatcher sends them last, each in a parcel of its own.
  const Instant began = context.clock.now();
  jobs::Feeder feeder({.order = options.files.order,
                       .only = assignment.only,
                       .first_new = first_id,
                       .task_type = kTaskType},
                      journal, finder, [](std::uint64_t) { return true; });
  engine::FlowReport report;
  if (auto started = printer->start(); !started) {
    report.fatal = std::move(started).error();
  } else {
    report = drive.run([&](fleet::FleetDrive::Intake& intake) {
      return feeder.feed({.put =
                              [&](const engine::TaskRecord& task, std::uint64_t sequence) {
                                sink.offer(task.id, task.subject, sequence);
                                return intake.put(task, roots.payload_of(task.subject));
                              },
                          .is_stopped = [&] { return intake.is_stopped(); }});
    });
  }

  // The end, in reverse order.
  finder.stop();
  (void)finder.wait_for_the_end();
  reporter->finish();
  add(drive.seen().counts, card.fleet_tally);
  card.is_on_fleet = !drive.has_cleaned_up();
  const bool is_lost = report.fatal && report.fatal->kind == FailureKind::superseded;
  if (!is_lost) (void)journal.commit({}, run::fleet_notes_of(card));  // only `show` reads them
  if (auto printed = sink.finish(); !printed && !report.fatal) {
    report.fatal = std::move(printed).error();
  }
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
