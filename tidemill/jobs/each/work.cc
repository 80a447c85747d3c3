#include "tidemill/jobs/each/work.h"

#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/summary.h"

namespace tidemill::each {
namespace {

cli::ReportForm form_of(Report report) {
  switch (report) {
    case Report::json:
      return cli::ReportForm::json;
    case Report::jsonl:
      return cli::ReportForm::jsonl;
    case Report::output:
      break;
  }
  return cli::ReportForm::text;
}

}  // namespace

Result<int> work_on(run::Run& run, const Options& options, const Assignment& assignment,
                    cli::Desk& desk, cli::Vigil& vigil) {
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  cli::tell_of_recovery(run, vigil.console);
  const auto outcome = work(options, assignment, run, context);
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  LET(cli::Summary summary,
      cli::summary_of(
          run, {.ending = outcome->ending, .cause = outcome->cause, .elapsed = outcome->elapsed}));
  summary.has_lost_list = cli::is_read_once(options.files_from) && !summary.has_found_all;
  if (cli::is_unread(outcome->cause) && vigil.signals.first() == 0) {
    cli::say_unread(summary.run, desk);
    return cli::kReaderGone;
  }
  TRY(tell(summary, form_of(options.report), desk));
  LET(const int code, cli::exit_code_of(run,
                                        {.ending = outcome->ending,
                                         .has_cause = outcome->cause.has_value(),
                                         .signal = vigil.signals.first()},
                                        {.only = assignment.only}, desk));
  if (code != cli::kDone || !summary.has_matched_nothing()) return code;
  return cli::nothing_matched(selection_of(options), desk, context.stop);
}

cli::Selection selection_of(const Options& options) {
  return {.roots = options.roots,
          .wanted = {.globs = options.globs,
                     .excludes = options.excludes,
                     .hidden = !options.no_hidden},
          .list = options.files_from,
          .is_empty_allowed = options.allow_empty};
}

}  // namespace tidemill::each
