#include "tidemill/jobs/batch/job.h"

#include "tidemill/jobs/batch/batch.h"

#include <string>

#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/text.h"
#include "tidemill/jobs/batch/work.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::batch {
namespace {

using command::Tone;

Result<int> rehearse(const Options& options, const Surroundings& around, cli::Desk& desk,
                     cli::Vigil& vigil) {
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  const auto outcome = rehearse(options, around, context);
  if (!outcome) {
    if (vigil.signals.first() != 0) return cli::exit_code_of(vigil.signals.first());
    return std::unexpected(outcome.error());
  }
  if (options.report == Report::json) TRY(desk.console->out(json_of(*outcome, "", {})));
  if (outcome->has_matched_nothing()) {
    return cli::nothing_matched(selection_of(options), desk, context.stop);
  }
  desk.console->say(Tone::good, text_of(*outcome, "", {}, cli::columns_of(2)));
  return outcome->tally.failed() > 0 ? cli::kSomeFailed : cli::kDone;
}

}  // namespace

Result<int> run_batch(cli::Desk& desk) {
  LET(const auto options, batch_options(desk.values, desk));
  LET(const auto around, batch_surroundings(options));
  TRY(check(options, around));
  cli::Vigil vigil(desk);
  if (options.dry_run) {
    return cli::recorded(desk, vigil.console, "batch-dry-run", [&](const cli::Recording&) {
      return rehearse(options, around, desk, vigil);
    });
  }
  std::string id;
  Result<int> code = cli::kDone;
  bool is_empty = false;
  {
    LET(const auto run, cli::create_run("batch", desk));
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

}  // namespace tidemill::batch
