#include "tidemill/app/each_work.h"

#include "tidemill/app/exit_code.h"
#include "tidemill/app/run_exit.h"
#include "tidemill/app/summary.h"
#include "tidemill/base/try.h"

namespace tidemill::app {
namespace {

ReportForm form_of(each::Report report) {
  switch (report) {
    case each::Report::json:
      return ReportForm::json;
    case each::Report::jsonl:
      return ReportForm::jsonl;
    case each::Report::text:
      break;
  }
  return ReportForm::text;
}

}  // namespace

Result<int> work_on(run::Run& run, const each::Options& options, const each::Assignment& assignment,
                    Desk& desk, Vigil& vigil) {
  LET(const auto log, log_for(desk));
  command::Context context = vigil.context(desk, *log);
  tell_of_recovery(run, vigil.console);
  const auto outcome = each::work(options, assignment, run, context);
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  LET(Summary summary,
      summary_of(
          run, {.ending = outcome->ending, .cause = outcome->cause, .elapsed = outcome->elapsed}));
  summary.has_lost_list = is_read_once(options.files_from) && !summary.has_found_all;
  if (is_unread(outcome->cause) && vigil.signals.first() == 0) {
    say_unread(summary.run, desk);
    return kReaderGone;
  }
  TRY(tell(summary, form_of(options.report), desk));
  LET(const int code, exit_code_of(run,
                                   {.ending = outcome->ending,
                                    .has_cause = outcome->cause.has_value(),
                                    .signal = vigil.signals.first()},
                                   {.only = assignment.only}, desk));
  if (code != kDone || !summary.has_matched_nothing()) return code;
  return nothing_matched(selection_of(options), desk, context.stop);
}

Selection selection_of(const each::Options& options) {
  return {.roots = options.roots,
          .wanted = {.globs = options.globs,
                     .excludes = options.excludes,
                     .hidden = !options.no_hidden},
          .list = options.files_from,
          .is_empty_allowed = options.allow_empty};
}

}  // namespace tidemill::app
