// act(): executes a plan, each step as a task of a run. The complete plan is in the journal before
// the first step, and everything `undo` needs to know about a duplicate is there before the
// duplicate is changed:
//
//   Found, Checkpointed        every step of every group; a step that the plan declines is
//                              Skipped instead of Checkpointed
//   for each batch of up to kBatch steps:
//     Checkpointed             each step that prepare() accepts, with its duplicate's metadata
//       begin() of each, one sync per folder, settle() of each, one more sync; a batch may be
//       settled in several portions                            (pair/pair.h, step_worker.h)
//     a note                   the folders that were created for them (made_folders.h)
//     Done, Skipped, Died      done with its result, declined, failed
//
//   found = done + declined + failed + pending
//
// A killed process leaves pending tasks; a step that could not be rolled back is a failed task.
// resume_actions() checks how far each of them came, completes it or rolls it back (act_recover.h),
// and then executes the remaining steps. A failed step that was rolled back stays failed. A stop
// before the plan is complete executes nothing, and a resume executes the steps that are in the
// journal by then, no others.
//
// A file that cannot be processed is a failed task. The run fails only when the journal or the
// groups do, when the directory of the run cannot be opened, or when a folder cannot be synced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

struct ActReport {
  std::uint64_t found = 0;
  std::uint64_t done = 0;
  std::uint64_t declined = 0;
  std::uint64_t failed = 0;
  std::uint64_t pending = 0;    // not zero: the run was stopped
  std::uint64_t reclaimed = 0;  // bytes, of the steps done by this call
  bool operator==(const ActReport&) const = default;
};

struct ActHooks {
  std::function<void(HookPoint)> moment{};  // see PairTools::hook
};

inline constexpr std::size_t kBatch = 64;

// act() expects a new run. Both end early when a stop is requested. A stop ends a first comparison,
// a copy or a reflink within one buffer; steps that are already displaced are settled.
[[nodiscard]] Result<ActReport> act(Groups& groups, const DupesOptions& options, run::Run& run,
                                    command::Context& context, const ActHooks& hooks = {});
[[nodiscard]] Result<ActReport> resume_actions(run::Run& run, command::Context& context,
                                               const ActHooks& hooks = {});

// The steps that are not done, for undo().
struct Dropped {
  struct FailedStep {
    std::string path{};
    std::string reason{};
  };
  std::vector<PlanStep> steps{};     // every failed step, and the pending ones that were dropped
  std::vector<std::string> back{};   // paths of interrupted steps that were rolled back
  std::vector<FailedStep> failed{};  // steps that could not be rolled back, or not be checked
};
// Recovers pending and failed steps as a resume does. Steps that are still pending afterwards are
// dropped: they become skipped tasks.
[[nodiscard]] Result<Dropped> drop_pending(run::Run& run, command::Context& context);

}  // namespace tidemill::dupes
