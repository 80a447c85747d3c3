#include "tidemill/jobs/each/each.h"

#include <filesystem>

#include "tidemill/app/exit_code.h"
#include "tidemill/app/verbs.h"
#include "tidemill/app/work.h"
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
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "the current folder: " + wrong.message());
  TRY(log_for(desk));  // what cannot be opened is told before there is a run
  Vigil vigil(desk);
  LET(const auto run, run::Run::create(desk.state,
                                       {.job = "each",
                                        .arguments = desk.values.as_arguments(),
                                        .directory = here.string(),
                                        .version = desk.program.version},
                                       desk.clock));
  return work_on(*run, options, {}, desk, vigil);
}

}  // namespace tidemill::app
