// The job `each`: runs a command for each file. Entry points for checking, running and --dry-run.
#pragma once

#include <cstdint>

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::each {

using jobs::FileRunOutcome;
using jobs::FileRunRequest;

// Whether the command, the folders and the patterns are valid. Call it before the run is created.
[[nodiscard]] Result<void> check(const EachOptions& options);

// The part of check() that matters when no more names are looked for: whether the command exists
// and the folder of --results can be created.
[[nodiscard]] Result<void> check_command(const EachOptions& options);

// Works on the run until every task is settled or it has to stop. Returns a Failure only if it
// could not start; a failure while running is in the outcome and in the journal.
[[nodiscard]] Result<FileRunOutcome> work(const EachOptions& options,
                                          const FileRunRequest& assignment, run::Run& run,
                                          command::Context& context);

// --dry-run: prints the commands, quoted for a shell, one per line. Returns their number; unusable
// names and unreadable folders are reported and counted as well.
[[nodiscard]] Result<std::uint64_t> print_commands(const EachOptions& options,
                                                   command::Context& context);

}  // namespace tidemill::each
