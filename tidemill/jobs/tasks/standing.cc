#include "tidemill/jobs/tasks/standing.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/run_exit.h"

namespace tidemill::jobs {

Result<Finder::Source> finder_source(const FileSource& files, std::string_view task_type,
                                     const FileRunRequest& assignment, run::Run& run,
                                     const Clock& clock) {
  const run::RunCard& card = run.card();
  Finder::Source source{
      .files = files,
      .task_type = task_type,
      .position = card.position,
      .is_read = card.has_found_all || !assignment.only.empty() || assignment.is_list_lost};
  std::vector<engine::Entry> hopeless;
  for (const engine::TaskId id : assignment.only) {
    LET(const auto task, run.journal().task(id));
    if (!task || task->state != engine::TaskState::pending) continue;
    if (task->type == kNameType) {
      const Failure failure{.step = "name", .reason = "too long for an argument"};
      hopeless.emplace_back(engine::Died{.id = id, .failure = failure, .at = clock.wall()});
    }
    if (task->type != kFindType) continue;
    source.again.push_back(task->subject);
    source.settles.push_back(id);
  }
  TRY(run.journal().commit(hopeless));
  return source;
}

engine::FlowCounts counts_so_far(const engine::Tally& before, const engine::FlowCounts& here,
                                 const Finder& finder) {
  return {.found = before.found() + finder.found(),
          .done = before.done() + here.done,
          .skipped = before.skipped() + here.skipped,
          .failed = before.failed() + here.failed + finder.failures()};
}

std::optional<Failure> list_lost(const FileRunRequest& assignment, const run::Run& run) {
  const run::RunCard& card = run.card();
  if (!assignment.is_list_lost || card.has_found_all) return std::nullopt;
  const run::RunFolder& folder = run.folder();
  return Failure{.cure = Cure::give_up,
                 .step = "find",
                 .reason = "the list came from standard input, and reading stopped after " +
                           (card.position.empty() ? "0" : card.position) + " names",
                 .hint = "pass the same list again: " + folder.program() + " resume " +
                         folder.id() + " --files-from FILE"};
}

Result<std::string> ending_by_itself(const std::string& ending_before,
                                     const journal::SqliteJournal& journal) {
  LET(const engine::Tally tally, journal.tally());
  LET(const auto found_all, journal.note("found_all"));
  if (tally.pending() == 0 && found_all == "1") return std::string(run::kComplete);
  const bool was_open = ending_before != run::kRunning && ending_before != run::kComplete;
  return was_open ? ending_before : std::string(run::kInterrupted);
}

FileRunOutcome outcome_of(const Result<std::string>& ending, engine::FlowReport report,
                          std::chrono::nanoseconds elapsed) {
  if (!ending) report.fatal = ending.error();
  return {.ending = ending.value_or(std::string(run::kFailed)),
          .cause = std::move(report.fatal),
          .here = report.counts,
          .elapsed = elapsed};
}

FileRunOutcome end_run(run::Run& run, FileRunOutcome outcome) {
  const std::string cause = outcome.cause ? text_of(*outcome.cause) : "";
  if (auto ended = run.end(outcome.ending, cause); !ended && !outcome.cause) {
    outcome.ending = run::kFailed;
    outcome.cause = std::move(ended).error();
  }
  return outcome;
}

Result<int> conclude(run::Run& run, const FileRunOutcome& outcome, const FileSource& files,
                     const FileRunRequest& assignment, cli::ReportForm form, cli::CliContext& cli,
                     cli::SignalScope& signal_scope) {
  LET(cli::Summary summary,
      cli::summary_of(
          run, {.ending = outcome.ending, .cause = outcome.cause, .elapsed = outcome.elapsed}));
  summary.has_lost_list = cli::is_read_once(files.files_from) && !summary.has_found_all;
  if (cli::is_unread(outcome.cause) && signal_scope.signals.first() == 0) {
    cli::say_unread(summary.run, cli);
    return cli::kReaderGone;
  }
  TRY(tell(summary, form, cli));
  LET(const int code, cli::exit_code_of(run,
                                        {.ending = outcome.ending,
                                         .has_cause = outcome.cause.has_value(),
                                         .signal = signal_scope.signals.first()},
                                        {.only = assignment.only}, cli));
  if (code != cli::kDone || !summary.has_matched_nothing()) return code;
  return cli::nothing_matched(selection_of(files), cli, signal_scope.signals.stop());
}

bool has_lost_list(const run::RunCard& card) {
  constexpr std::string_view kFlag = "--files-from=";
  return !card.has_found_all && std::ranges::any_of(card.arguments, [&](const std::string& word) {
    return word.starts_with(kFlag) && cli::is_read_once(word.substr(kFlag.size()));
  });
}

}  // namespace tidemill::jobs
