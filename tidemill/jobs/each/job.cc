#include "tidemill/jobs/each/job.h"

#include "tidemill/jobs/each/each.h"

#include "tidemill/base/try.h"
#include "tidemill/jobs/each/command/placeholder_check.h"
#include "tidemill/jobs/each/work.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::each {
namespace {

Result<int> show_commands(const Options& options, cli::Desk& desk) {
  SilentLog silent;
  command::Context context{.console = *desk.console, .log = silent, .clock = desk.clock};
  LET(const std::uint64_t count, print_commands(options, context));
  return count == 0 ? cli::nothing_matched(selection_of(options), desk) : cli::kDone;
}

}  // namespace

Result<int> run_each(cli::Desk& desk) {
  LET(const auto options, options_of(desk.values));
  TRY(check_placeholders(options));
  if (options.dry_run) return show_commands(options, desk);
  TRY(check(options));
  TRY(cli::log_for(desk));  // what cannot be opened is told before there is a run
  cli::Vigil vigil(desk);
  LET(const auto run, cli::create_run("each", desk));
  return work_on(*run, options, {}, desk, vigil);
}

}  // namespace tidemill::each
