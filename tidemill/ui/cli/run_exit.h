// The exit status of whoever worked on a run: one rule for all jobs, in one place. 0 says that
// nothing is left to do. What is left is asked of the journal itself, not of the job: a job that
// saw no more work, because the journal hid it, must not say that all is done.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::cli {

// How a run stands when its job has ended.
struct RunStanding {
  std::string_view ending{};  // run::kComplete, …
  bool has_cause = false;
  bool has_work_left = false;
  bool has_failures = false;
  int signal = 0;  // the first one; 0: none
};
[[nodiscard]] int exit_code_of(const RunStanding& standing);

// What was asked of this process.
struct RunRequest {
  std::span<const engine::TaskId> only{};  // these tasks alone; empty: all of them
  bool looks_for_more = true;              // what was not found yet is left, too
};

// Asks the journal what is left, and says so on the console when nothing explains it.
[[nodiscard]] Result<int> exit_code_of(run::Run& run, RunStanding standing,
                                       const RunRequest& request, Desk& desk);

}  // namespace tidemill::cli
