// The command line of a resumed run: the one it was started with, overridden by the flags of
// `resume` or `failures retry`. The job accepts such a flag if its own verb has one of the same
// name and kind; any other is a usage error that names the flag, before anything is changed.
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

// The properties of a run that determine its flags.
struct ResumedRun {
  const run::RunCard& card;
  const jobs::Job* job =
      nullptr;  // for a run with a journal: decides which flags a resumed run accepts
};

// The names of those `offered` flags that the run accepts.
[[nodiscard]] std::vector<std::string> taken_flags(const ResumedRun& run,
                                                   std::span<const command::Flag> offered,
                                                   const command::Program& program);

// The words of the command line, the verb first. Uses only the `offered` flags of `values`.
[[nodiscard]] Result<std::vector<std::string>> resumed_words(const ResumedRun& run,
                                                             std::span<const command::Flag> offered,
                                                             const command::Values& values,
                                                             const command::Program& program);

// "resuming 20261117-0102-import: tidemill import …", without flags that have their default value
// and flags that every verb has.
[[nodiscard]] std::string resuming_text(const std::string& id,
                                        const std::vector<std::string>& words,
                                        const command::Program& program);

// The name of an input that cannot be read a second time, or "": standard input, or a pipe from a
// shell, as in <(...).
[[nodiscard]] std::string unrepeatable_input(const command::Values& values);

}  // namespace tidemill::app
