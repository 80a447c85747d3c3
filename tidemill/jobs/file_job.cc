#include "tidemill/jobs/file_job.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/tasks/file_run.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/ui/cli/summary.h"

namespace tidemill::jobs {
namespace {

// How the process ends at the second Ctrl-C: immediately, as if killed, but with the terminal
// restored.
std::function<void()> leaving(cli::CliContext& cli, cli::SignalScope& signal_scope) {
  return [&cli, &signal_scope] {
    cli.console->restore();
    ::_exit(cli::exit_code_of(signal_scope.signals.first()));
  };
}

Result<int> work_on(run::Run& run, const FileOptions& options, const FileRunRequest& assignment,
                    FileWork& work, cli::CliContext& cli, cli::SignalScope& signal_scope) {
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  signal_scope.second_stop = cli::SecondStop::exits;
  cli::report_recovery(run, signal_scope.console);
  const auto outcome =
      work_on_files(options, assignment, work, run, context, leaving(cli, signal_scope));
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  const auto form = options.is_json ? cli::ReportForm::json : cli::ReportForm::text;
  return conclude(run, *outcome, options.files, assignment, form, cli, signal_scope);
}

// For a run that is already open.
Result<int> open_and_work(const FileJob& job, run::Run& run, const command::Values& values,
                          const FileOptions& options, const FileRunRequest& assignment,
                          cli::CliContext& cli, cli::SignalScope& signal_scope) {
  auto work = job.open(values);
  if (!work) {
    (void)run.end(run::kFailed, text_of(work.error()));
    return std::unexpected(std::move(work).error());
  }
  return work_on(run, options, assignment, **work, cli, signal_scope);
}

}  // namespace

command::Verb FileJob::verb() const {
  command::Verb verb = description();
  if (verb.usage.empty()) {
    verb.usage = {"%program " + verb.name + " [ROOT...] [OPTIONS]",
                  "%program " + verb.name + " --files-from FILE|- [-0] [OPTIONS]"};
  }
  verb.arguments.insert(verb.arguments.begin(),
                        {.name = "ROOT", .help = "folders to walk, or files", .is_list = true});
  std::ranges::move(file_job_flags(), std::back_inserter(verb.flags));
  verb.works = true;
  return verb;
}

Result<int> FileJob::run(cli::CliContext& cli) const {
  LET(const auto options, file_options_of(cli.values));
  TRY(check(options.files));
  TRY(cli::log_for(cli));  // fails before the run is created if the log cannot be opened
  cli::SignalScope signal_scope(cli);
  LET(const auto work, open(cli.values));
  LET(const auto run, cli::create_run(verb().name, cli));
  return work_on(*run, options, {}, *work, cli, signal_scope);
}

Result<Continuation> FileJob::resume(const command::Values& values, cli::CliContext& cli) const {
  LET(auto options, file_options_of(values));
  const bool is_list_lost =
      !cli.values.has("files-from") && cli::is_read_once(options.files.files_from);
  return [this, values, options, is_list_lost, &cli](run::Run& run, const auto& /*only*/,
                                                     cli::SignalScope& signal_scope) {
    return open_and_work(*this, run, values, options, {.is_list_lost = is_list_lost}, cli,
                         signal_scope);
  };
}

Result<Continuation> FileJob::retry(const command::Values& values, cli::CliContext& cli) const {
  LET(auto options, file_options_of(values));
  return [this, values, options, &cli](run::Run& run, const std::vector<engine::TaskId>& only,
                                       cli::SignalScope& signal_scope) {
    return open_and_work(*this, run, values, options, {.only = only}, cli, signal_scope);
  };
}

bool FileJob::has_lost_input(const run::RunCard& card) const { return has_lost_list(card); }

}  // namespace tidemill::jobs
