// Working on a run of `docs`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include <memory>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::docs {

// The run of this server: the one that is there, or a new one. There is one a server, so that a
// line in a document is done once whoever starts the program again.
[[nodiscard]] Result<std::unique_ptr<run::Run>> run_of_server(const Options& options,
                                                              cli::Desk& desk);

// Answers the exit code.
[[nodiscard]] Result<int> docs_on(run::Run& run, const Options& options,
                                  const Assignment& assignment, cli::Desk& desk, cli::Vigil& vigil);

}  // namespace tidemill::docs
