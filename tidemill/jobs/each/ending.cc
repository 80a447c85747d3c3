#include "tidemill/jobs/each/ending.h"

#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/proc/leftovers.h"
#include "tidemill/jobs/each/command/command_runner.h"
#include "tidemill/jobs/each/output/output.h"
#include "tidemill/jobs/each/output/unprinted.h"

namespace tidemill::each {
namespace {

constexpr std::size_t kTailBytes = 2'048;  // of a failed command's output, stored with its failure

// The end of its standard error, or of its standard output if it wrote no errors.
std::string output_tail(const proc::Finished& finished) {
  const bool has_errors = finished.err.total > 0;
  return tail_of(has_errors ? finished.err : finished.out, kTailBytes);
}

// Whether output of the tasks could not be printed or stored.
bool is_of_output(const Failure& failure) {
  return failure.kind == FailureKind::unwritable || failure.kind == FailureKind::closed;
}

// If the user stops a run that waits for disk space, it was interrupted; it has not failed.
Result<std::string> ending_of(const engine::FlowReport& report, const WorkEnd& at) {
  // The Ctrl-C that stops us also ends the process that reads our output.
  const bool is_unread = report.fatal && is_of_output(*report.fatal);
  const bool is_lost = report.fatal && report.fatal->cure != Cure::retry && !is_unread;
  if (at.stopper.was_interrupted() && !is_lost) return std::string(run::kInterrupted);
  if (report.fatal && command::is_reader_gone(*report.fatal)) {
    return std::string(run::kInterrupted);
  }
  if (report.fatal) return std::string(run::kFailed);
  if (at.stopper.was_halted()) return std::string(run::kHalted);
  return jobs::ending_by_itself(at.ending_before, at.run.journal());
}

Result<void> sync_outputs(const EachOptions& options, const std::string& spill) {
  TRY(sync_folder(spill));
  return options.results.empty() ? Result<void>() : sync_folder(options.results);
}

}  // namespace

Result<void> make_results(const std::string& folder) {
  if (folder.empty()) return {};
  auto made = files::HeldFolder::make(folder);
  if (made) return {};
  made.error().step = "results";
  return std::unexpected(std::move(made).error());
}

Result<void> prepare(const EachOptions& options, const run::Run& run) {
  if (run.recovery().was_unclean) {
    (void)proc::end_marked({mark_entry(run.card().mark)}, options.grace);
  }
  return make_results(options.results);
}

void tell_of_fleet(const run::Run& run, command::Console& console) {
  const run::RunCard& card = run.card();
  if (!card.is_on_fleet) return;
  const std::string& id = run.folder().id();
  console.say(command::Tone::warning,
              "This run was on the fleet " + card.fleet +
                  ", and its workers may still have some of its tasks: these run twice.\n"
                  "  hint: " +
                  run.folder().program() + " fleet remove " + card.fleet + " " + id +
                  " ends them, " + run.folder().program() + " resume " + id + " --fleet " +
                  card.fleet + " continues there");
}

void add_failure(engine::TaskId id, int attempts, const Failure& failure,
                 const proc::Finished& last, WallTime now, std::vector<engine::Entry>& entries) {
  if (std::string tail = output_tail(last); !tail.empty()) {
    entries.emplace_back(engine::Checkpointed{
        .id = id, .checkpoint = {.last_step = "output", .data = std::move(tail)}});
  }
  entries.emplace_back(engine::Died{.id = id, .attempts = attempts, .failure = failure, .at = now});
}

jobs::FileRunOutcome conclude_work(engine::FlowReport report, const WorkEnd& at) {
  if (!report.fatal || !is_of_output(*report.fatal)) {
    if (auto printed = at.printer.finish(); !printed && !report.fatal) {
      report.fatal = std::move(printed).error();
    }
  }
  const jobs::Finder::State found = at.finder.wait_for_the_end();
  if (!report.fatal && found.failure && !report.was_stopped) report.fatal = found.failure;
  if (!report.fatal && !report.was_stopped) report.fatal = jobs::list_lost(at.assignment, at.run);
  // Somebody else works on the run now, and ends it.
  if (report.fatal && report.fatal->kind == FailureKind::superseded) {
    return jobs::outcome_of(std::string(run::kFailed), std::move(report), at.elapsed);
  }
  const auto ending = ending_of(report, at);
  jobs::FileRunOutcome outcome = jobs::outcome_of(ending, std::move(report), at.elapsed);
  // end_run() commits outcomes that only the in-flight log has, so the output of those tasks must
  // be durable first. If it cannot be synced, the run is not ended and the next process recovers
  // it.
  if (auto synced = sync_outputs(at.options, at.run.folder().spill());
      !synced && outcome.ending != run::kComplete) {
    if (!outcome.cause) outcome.cause = std::move(synced).error();
    return outcome;
  }
  return jobs::end_run(at.run, std::move(outcome));
}

}  // namespace tidemill::each
