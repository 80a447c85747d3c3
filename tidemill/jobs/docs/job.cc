#include "tidemill/jobs/docs/job.h"

#include "tidemill/jobs/docs/docs.h"

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/work.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::docs {

Result<int> run_docs(cli::Desk& desk) {
  LET(const auto options, options_of(desk.values));
  LET(const auto secrets, read_secrets(options));
  cli::Vigil vigil(desk);
  if (options.dry_run) {
    SilentLog silent;
    command::Context context = vigil.context(desk, silent);
    TRY(print_commands(options, secrets, context));
    return cli::kDone;
  }
  LET(const auto run, run_of_server(options, desk));
  return docs_on(*run, options, {}, desk, vigil);
}

}  // namespace tidemill::docs
