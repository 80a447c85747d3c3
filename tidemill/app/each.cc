#include "tidemill/jobs/each/each.h"

#include "tidemill/app/each_work.h"
#include "tidemill/app/exit_code.h"
#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/each/command/placeholder_check.h"

namespace tidemill::app {
namespace {

Result<int> show_commands(const each::Options& options, Desk& desk) {
  SilentLog silent;
  command::Context context{.console = *desk.console, .log = silent, .clock = desk.clock};
  LET(const std::uint64_t count, each::print_commands(options, context));
  return count == 0 ? nothing_matched(selection_of(options), desk) : kDone;
}

}  // namespace

Result<int> run_each(Desk& desk) {
  LET(const auto options, each::options_of(desk.values));
  TRY(each::check_placeholders(options));
  if (options.dry_run) return show_commands(options, desk);
  TRY(each::check(options));
  TRY(log_for(desk));  // what cannot be opened is told before there is a run
  Vigil vigil(desk);
  LET(const auto run, create_run("each", desk));
  return work_on(*run, options, {}, desk, vigil);
}

}  // namespace tidemill::app
