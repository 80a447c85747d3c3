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

// How the process ends at the second Ctrl-C: at once, as after a kill, with the terminal in order.
std::function<void()> leaving(cli::Desk& desk, cli::Vigil& vigil) {
  return [&desk, &vigil] {
    desk.console->restore();
    ::_exit(cli::exit_code_of(vigil.signals.first()));
  };
}

Result<int> work_on(run::Run& run, const FileOptions& options, const Assignment& assignment,
                    FileWork& work, cli::Desk& desk, cli::Vigil& vigil) {
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  vigil.second_stop = cli::SecondStop::exits;
  cli::tell_of_recovery(run, vigil.console);
  const auto outcome = work_on_files(options, assignment, work, run, context, leaving(desk, vigil));
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  const auto form = options.is_json ? cli::ReportForm::json : cli::ReportForm::text;
  return conclude(run, *outcome, options.files, assignment, form, desk, vigil);
}

// Of a run that is open.
Result<int> open_and_work(const FileJob& job, run::Run& run, const command::Values& values,
                          const FileOptions& options, const Assignment& assignment, cli::Desk& desk,
                          cli::Vigil& vigil) {
  auto work = job.open(values);
  if (!work) {
    (void)run.end(run::kFailed, text_of(work.error()));
    return std::unexpected(std::move(work).error());
  }
  return work_on(run, options, assignment, **work, desk, vigil);
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

Result<int> FileJob::run(cli::Desk& desk) const {
  LET(const auto options, file_options_of(desk.values));
  TRY(check(options.files));
  TRY(cli::log_for(desk));  // what cannot be opened is told before there is a run
  cli::Vigil vigil(desk);
  LET(const auto work, open(desk.values));
  LET(const auto run, cli::create_run(verb().name, desk));
  return work_on(*run, options, {}, *work, desk, vigil);
}

Result<Continuation> FileJob::resume(const command::Values& values, cli::Desk& desk) const {
  LET(auto options, file_options_of(values));
  const bool is_list_lost =
      !desk.values.has("files-from") && cli::is_read_once(options.files.files_from);
  return [this, values, options, is_list_lost, &desk](run::Run& run, const auto& /*only*/,
                                                      cli::Vigil& vigil) {
    return open_and_work(*this, run, values, options, {.is_list_lost = is_list_lost}, desk, vigil);
  };
}

Result<Continuation> FileJob::retry(const command::Values& values, cli::Desk& desk) const {
  LET(auto options, file_options_of(values));
  return [this, values, options, &desk](run::Run& run, const std::vector<engine::TaskId>& only,
                                        cli::Vigil& vigil) {
    return open_and_work(*this, run, values, options, {.only = only}, desk, vigil);
  };
}

bool FileJob::has_lost_input(const run::RunCard& card) const { return has_lost_list(card); }

}  // namespace tidemill::jobs
