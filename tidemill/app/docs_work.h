// Working on a run of `docs`: what the verb itself, `resume` and `letters retry` have in common.
#pragma once

#include <memory>

#include "tidemill/app/desk.h"
#include "tidemill/app/work.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/state/run/run.h"

namespace tidemill::app {

// The run of this server: the one that is there, or a new one. There is one a server, so that a
// line in a document is done once whoever starts the program again.
[[nodiscard]] Result<std::unique_ptr<run::Run>> run_of_server(const docs::Options& options,
                                                              Desk& desk);

// Answers the exit code.
[[nodiscard]] Result<int> docs_on(run::Run& run, const docs::Options& options,
                                  const docs::Assignment& assignment, Desk& desk, Vigil& vigil);

}  // namespace tidemill::app
