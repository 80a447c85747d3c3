#include "tidemill/jobs/batch/batch.h"

#include <string>

#include "tidemill/app/batch_text.h"
#include "tidemill/app/batch_work.h"
#include "tidemill/app/exit_code.h"
#include "tidemill/app/nothing_matched.h"
#include "tidemill/app/recorded.h"
#include "tidemill/app/verbs.h"
#include "tidemill/app/work.h"
#include "tidemill/base/try.h"

namespace tidemill::app {
namespace {

using command::Tone;

Result<int> rehearse(const batch::Options& options, const batch::Surroundings& around, Desk& desk,
                     Vigil& vigil) {
  LET(const auto log, log_for(desk));
  command::Context context = vigil.context(desk, *log);
  const auto outcome = batch::rehearse(options, around, context);
  if (!outcome) {
    if (vigil.signals.first() != 0) return exit_code_of(vigil.signals.first());
    return std::unexpected(outcome.error());
  }
  if (options.report == batch::Report::json) TRY(desk.console->out(json_of(*outcome, "", {})));
  if (outcome->has_matched_nothing()) {
    return nothing_matched(selection_of(options), desk, context.stop);
  }
  desk.console->say(Tone::good, text_of(*outcome, "", {}, columns_of(2)));
  return outcome->tally.failed() > 0 ? kSomeFailed : kDone;
}

}  // namespace

Result<int> run_batch(Desk& desk) {
  LET(const auto options, batch_options(desk.values, desk));
  LET(const auto around, batch_surroundings(options));
  TRY(batch::check(options, around));
  Vigil vigil(desk);
  if (options.dry_run) {
    return recorded(desk, vigil.console, "batch-dry-run",
                    [&](const Recording&) { return rehearse(options, around, desk, vigil); });
  }
  std::string id;
  Result<int> code = kDone;
  bool is_empty = false;
  {
    LET(const auto run, create_run("batch", desk));
    id = run->folder().id();
    code = batch_on(*run, options, around, desk, vigil);
    const auto totals = run->journal().note("batch_totals");
    is_empty = totals && !*totals;
  }
  // It did not get as far as to have something to remember: another producer was at work, or the
  // server was not there.
  if (!is_empty) return code;
  const auto removed = desk.state.remove(id, desk.clock.wall());
  if (code) TRY(removed);  // else what went wrong first is told
  return code;
}

}  // namespace tidemill::app
