// What the jobs whose tasks are files share beside the machine: what is asked of a process that
// works on a run, where its finder begins, how far the run has come, how it ended and how that is
// told.
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
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::jobs {

// What is asked of a run this time.
struct Assignment {
  // Letters that were taken back: only these are run. Empty: everything that is pending.
  std::vector<engine::TaskId> only{};
  // The list came through a pipe that is gone: what of it was read is all there is.
  bool is_list_lost = false;
};

struct Outcome {
  std::string ending{};            // run::kComplete, …
  std::optional<Failure> cause{};  // of kFailed
  engine::FlowCounts here{};       // what this process did; the journal has the whole
  std::chrono::nanoseconds elapsed{0};
};

// Where the finder of this process begins: behind what is found already. Of the letters to be
// retried, folders that could not be read are looked into again; a name that was too long is too
// long again, and becomes a letter here and now.
[[nodiscard]] Result<Finder::Source> finder_source(const FileSource& files,
                                                   std::string_view task_type,
                                                   const Assignment& assignment, run::Run& run,
                                                   const Clock& clock);

// Counts over all processes that have worked on the run.
[[nodiscard]] engine::FlowCounts counts_so_far(const engine::Tally& before,
                                               const engine::FlowCounts& here,
                                               const Finder& finder);

// The failure of a run whose list came through a pipe and was not read to its end.
[[nodiscard]] std::optional<Failure> list_lost(const Assignment& assignment, const run::Run& run);

// How a run ends that nothing has stopped. Retried letters alone do not make a run complete that
// was not.
[[nodiscard]] Result<std::string> ending_by_itself(const std::string& ending_before,
                                                   const journal::SqliteJournal& journal);

// What became of this process's work: `ending`, or failed when even that could not be told.
[[nodiscard]] Outcome outcome_of(const Result<std::string>& ending, engine::FlowReport report,
                                 std::chrono::nanoseconds elapsed);

// Ends the run as the outcome says. If that fails, so does the run, unless it has failed already.
[[nodiscard]] Outcome end_run(run::Run& run, Outcome outcome);

// Tells how the run stands and answers the exit code.
[[nodiscard]] Result<int> conclude(run::Run& run, const Outcome& outcome, const FileSource& files,
                                   const Assignment& assignment, cli::ReportForm form,
                                   cli::Desk& desk, cli::Vigil& vigil);

// Whether the names of this run came through a pipe, and not all of them were read.
[[nodiscard]] bool has_lost_list(const run::RunCard& card);

}  // namespace tidemill::jobs
