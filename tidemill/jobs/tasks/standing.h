// What the jobs whose tasks are files share apart from finder and feeder: the request to a process
// that works on a run, where its finder starts, the counts of the run, how the run ends and how
// that is reported.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/flow.h"
#include "tidemill/engine/journal.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/cli/summary.h"

namespace tidemill::jobs {

// What this process should do with the run.
struct FileRunRequest {
  // Dead letters to retry: only these are run. Empty: all pending tasks.
  std::vector<engine::TaskId> only{};
  // The list came through a pipe that no longer exists: only the names read so far are available.
  bool is_list_lost = false;
};

struct FileRunOutcome {
  std::string ending{};            // run::kComplete, …
  std::optional<Failure> cause{};  // if the run failed
  engine::FlowCounts here{};       // what this process did; the journal has the totals
  std::chrono::nanoseconds elapsed{0};
};

// Where the finder of this process starts: after the names that were already found. Among the dead
// letters to retry, unreadable folders are walked again; a name that was too long is still too
// long, and becomes a dead letter again immediately.
[[nodiscard]] Result<Finder::Source> finder_source(const FileSource& files,
                                                   std::string_view task_type,
                                                   const FileRunRequest& assignment, run::Run& run,
                                                   const Clock& clock);

// Counts over all processes that have worked on the run.
[[nodiscard]] engine::FlowCounts counts_so_far(const engine::Tally& before,
                                               const engine::FlowCounts& here,
                                               const Finder& finder);

// The failure of a run whose list came through a pipe and was not read to its end.
[[nodiscard]] std::optional<Failure> list_lost(const FileRunRequest& assignment,
                                               const run::Run& run);

// The ending of a run that was not stopped. Retrying dead letters does not turn an incomplete run
// into a complete one.
[[nodiscard]] Result<std::string> ending_by_itself(const std::string& ending_before,
                                                   const journal::SqliteJournal& journal);

// The outcome of this process's work: `ending`, or failed if the ending could not be determined.
[[nodiscard]] FileRunOutcome outcome_of(const Result<std::string>& ending,
                                        engine::FlowReport report,
                                        std::chrono::nanoseconds elapsed);

// Ends the run with the outcome. If that fails and the outcome has no cause yet, the run has
// failed.
[[nodiscard]] FileRunOutcome end_run(run::Run& run, FileRunOutcome outcome);

// Prints the summary of the run and returns the exit code.
[[nodiscard]] Result<int> conclude(run::Run& run, const FileRunOutcome& outcome,
                                   const FileSource& files, const FileRunRequest& assignment,
                                   cli::ReportForm form, cli::CliContext& cli,
                                   cli::SignalScope& signal_scope);

// Whether the names of this run came through a pipe and were not read to the end.
[[nodiscard]] bool has_lost_list(const run::RunCard& card);

}  // namespace tidemill::jobs
