// What `resume` and `failures retry` read of a run before they open it: its card and its parsed
// command line (resume_words.h). Changes to the directory in which the run was started.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/resume_words.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/values.h"

namespace tidemill::app {

struct Resumed {
  const jobs::Job* job =
      nullptr;  // null: the record of a command, or a job that this program does not have
  run::RunCard card{};
  std::vector<std::string> words{};
  command::Values values{};  // of the job
};

// `offered`: the flags of this verb that are passed to the job.
[[nodiscard]] Result<Resumed> resumed_run(const run::RunFolder& folder,
                                          std::span<const command::Flag> offered,
                                          const cli::CliContext& cli, const App& app);

}  // namespace tidemill::app
