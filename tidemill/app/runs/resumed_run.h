// What `resume` and `letters retry` know of a run before they open it: its card, and the command
// line that it goes on with (resume_words.h), parsed. They are in the folder of the run by then.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/resume_words.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/values.h"

namespace tidemill::app {

struct Resumed {
  const jobs::Job* job =
      nullptr;  // null: the record of a command, or of a job that this program does not have
  run::RunCard card{};
  std::vector<std::string> words{};
  command::Values values{};  // of the job
};

// `offered`: the flags of this verb that are for the job.
[[nodiscard]] Result<Resumed> resumed_run(const run::RunFolder& folder,
                                          std::span<const command::Flag> offered,
                                          const cli::Desk& desk, const App& app);

}  // namespace tidemill::app
