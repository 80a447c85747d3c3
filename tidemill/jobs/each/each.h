// each: a command for each file. The job as a whole.
#pragma once

#include <cstdint>

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::each {

using jobs::Assignment;
using jobs::Outcome;

// Whether the command, the folders and the patterns make sense: to be asked before a run is made.
[[nodiscard]] Result<void> check(const Options& options);

// The part of it that counts when no more names are looked for: can the command be started, and can
// its results be kept?
[[nodiscard]] Result<void> check_command(const Options& options);

// Works on the run until everything is settled or it has to stop. A Failure: it could not even
// start. What happened while it ran is in the outcome, and in the journal.
[[nodiscard]] Result<Outcome> work(const Options& options, const Assignment& assignment,
                                   run::Run& run, command::Context& context);

// --dry-run: the commands, as a shell would need them, one a line. Answers how many there are, with
// the folders that could not be read.
[[nodiscard]] Result<std::uint64_t> print_commands(const Options& options,
                                                   command::Context& context);

}  // namespace tidemill::each
