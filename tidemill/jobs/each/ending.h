// How the work of a process on a run of `each` begins and ends, on one machine and on a fleet.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/flow.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/proc/runner.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/jobs/each/stopper.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::each {

// Ends the commands that a killed process has left, and makes the folder of --results.
[[nodiscard]] Result<void> prepare(const EachOptions& options, const run::Run& run);
// For a run that continues on one machine: workers of a fleet may still have some of its tasks.
void tell_of_fleet(const run::Run& run, command::Console& console);
[[nodiscard]] Result<void> make_results(const std::string& folder);

// The entry for a command whose last attempt failed, after one with the end of its output.
void add_failure(engine::TaskId id, int attempts, const Failure& failure,
                 const proc::Finished& last, WallTime now, std::vector<engine::Entry>& entries);

// What there is at the end of the work. `ending_before`: of the run, when this process began.
struct WorkEnd {
  const EachOptions& options;
  const jobs::FileRunRequest& assignment;
  run::Run& run;
  jobs::Finder& finder;
  Printer& printer;
  Stopper& stopper;
  std::string ending_before{};
  std::chrono::nanoseconds elapsed{0};
};

// Prints what still waits for its turn, and ends the run with the outcome that it returns.
[[nodiscard]] jobs::FileRunOutcome conclude_work(engine::FlowReport report, const WorkEnd& at);

}  // namespace tidemill::each
