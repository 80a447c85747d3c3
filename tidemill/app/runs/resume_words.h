// The command line that a run goes on with: what it was started with, and over it the flags that
// `resume` or `letters retry` was given. The job takes such a flag if its own verb has one of this
// name and kind; any other is misuse that names it, and nothing has been touched by then.
//
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/job.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] std::unexpected<Failure> unknown_job(const std::string& job);

// A run as far as its flags are concerned.
struct ResumedRun {
  const run::RunCard& card;
  const jobs::Job* job =
      nullptr;  // of a run with a journal: it knows which flags mean anything by then
};

// Of `offered`, the names of flags, those that the run takes.
[[nodiscard]] std::vector<std::string> taken_flags(const ResumedRun& run,
                                                   std::span<const command::Flag> offered,
                                                   const command::Program& program);

// The words of the command line, the verb first. Of `values` those flags count that are `offered`.
[[nodiscard]] Result<std::vector<std::string>> resumed_words(const ResumedRun& run,
                                                             std::span<const command::Flag> offered,
                                                             const command::Values& values,
                                                             const command::Program& program);

// "resuming 20261117-0102-import: tidemill import …", without flags that have their usual value
// and those that every verb has.
[[nodiscard]] std::string resuming_text(const std::string& id,
                                        const std::vector<std::string>& words,
                                        const command::Program& program);

// A name in the words that cannot be read a second time, or "": standard input, or a pipe that a
// shell has made, as in <(...).
[[nodiscard]] std::string unrepeatable_input(const command::Values& values);

}  // namespace tidemill::app
