#include "tidemill/jobs/docs/docs.h"

#include "tidemill/app/docs_work.h"
#include "tidemill/app/exit_code.h"
#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"

namespace tidemill::app {

Result<int> run_docs(Desk& desk) {
  LET(const auto options, docs::options_of(desk.values));
  LET(const auto secrets, docs::read_secrets(options));
  Vigil vigil(desk);
  if (options.dry_run) {
    SilentLog silent;
    command::Context context = vigil.context(desk, silent);
    TRY(docs::print_commands(options, secrets, context));
    return kDone;
  }
  LET(const auto run, run_of_server(options, desk));
  return docs_on(*run, options, {}, desk, vigil);
}

}  // namespace tidemill::app
