// What `resume` and `letters retry` know of a run before they open it: its card, and the command
// line that it goes on with (resume_words.h), parsed. They are in the folder of the run by then.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/cli/desk.h"
#include "tidemill/cli/resume_words.h"
#include "tidemill/command/values.h"
#include "tidemill/durable/run_card.h"
#include "tidemill/durable/run_folder.h"

namespace tidemill::cli {

struct Resumed {
  durable::RunCard card{};
  std::vector<std::string> words{};
  command::Values values{};  // of the job
};

// `offered`: the flags of this verb that are for the job.
[[nodiscard]] Result<Resumed> resumed_run(const durable::RunFolder& folder,
                                          std::span<const command::Flag> offered, const Desk& desk);

}  // namespace tidemill::cli
