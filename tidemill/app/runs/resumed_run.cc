#include "tidemill/app/runs/resumed_run.h"

#include <utility>
#include <variant>

#include "tidemill/base/try.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::app {

Result<Resumed> resumed_run(const run::RunFolder& folder, std::span<const command::Flag> offered,
                            const cli::CliContext& cli, const App& app) {
  Resumed resumed;
  LET(resumed.card, cli::card_in(folder));
  if (!folder.is_record()) resumed.job = jobs::find_job(app.jobs, resumed.card.job);
  const ResumedRun run{.card = resumed.card, .job = resumed.job};
  LET(resumed.words, resumed_words(run, offered, cli.values, cli.program));
  TRY(cli::go_to_folder_of(resumed.card));
  LET(auto parsed, command::parse(cli.program, resumed.words, {}));
  resumed.values = std::get<command::Values>(std::move(parsed));
  return resumed;
}

}  // namespace tidemill::app
