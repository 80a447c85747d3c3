// The exit status of a process that worked on a run: one rule for all jobs. 0 means that nothing is
// left to do. What is left is read from the journal, not reported by the job: a job that saw no
// more work because of a damaged journal must not exit with 0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::cli {

// The state of a run when its job has ended.
struct RunStanding {
  std::string_view ending{};  // run::kComplete, …
  bool has_cause = false;
  bool has_work_left = false;
  bool has_failures = false;
  int signal = 0;  // the first one; 0: none
};
[[nodiscard]] int exit_code_of(const RunStanding& standing);

// What this process was requested to do.
struct RunRequest {
  std::span<const engine::TaskId> only{};  // only these tasks; empty: all
  bool looks_for_more = true;              // an unfinished search counts as work left
};

// Reads from the journal what is left, and prints an error if nothing explains it.
[[nodiscard]] Result<int> exit_code_of(run::Run& run, RunStanding standing,
                                       const RunRequest& request, CliContext& cli);

}  // namespace tidemill::cli
