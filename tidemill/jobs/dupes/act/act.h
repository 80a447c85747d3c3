// act(): does the steps of a plan, each one as a task of a run. The whole plan is in the journal
// before the first step, and what `undo` needs of a duplicate is there before it is touched:
//
//   Found, Checkpointed        every step of every group
//   Checkpointed               up to kBatch steps, each with its duplicate's metadata
//     begin() of each, one sync a folder, settle() of each, one more sync     (pair.h)
//   a note                     the folders that were made for them (made_folders.h)
//   Done, Skipped, Died        done with its result, declined, failed
//
//   found = done + declined + failed + pending
//
// A process that is killed leaves pending tasks, and a step in which the system refused to go back
// a failed one. resume_actions() looks how far each had come, finishes it or puts everything back
// (act_recover.h), and then goes on with the plan; what failed and is back at its beginning stays
// failed. The run fails only when the journal does, or a folder cannot be synced; a file that
// cannot be worked on is a task that failed.
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
  std::uint64_t pending = 0;  // not zero: it was stopped
  std::uint64_t won = 0;      // bytes, of the steps done by this call
  bool operator==(const ActReport&) const = default;
};

struct ActHooks {
  std::function<void(Moment)> moment{};  // for tests
};

inline constexpr std::size_t kBatch = 64;

// The run is new. Both stop within one file's buffer when the token says so.
[[nodiscard]] Result<ActReport> act(Groups& groups, const Options& options, run::Run& run,
                                    command::Context& context, const ActHooks& hooks = {});
[[nodiscard]] Result<ActReport> resume_actions(run::Run& run, command::Context& context,
                                               const ActHooks& hooks = {});

// What undo() has to know of steps that are not done.
struct Dropped {
  struct Trouble {
    std::string path{};
    std::string reason{};
  };
  std::vector<Step> steps{};        // not begun, or back at their beginning
  std::vector<std::string> back{};  // steps that had left something: paths that are as before now
  std::vector<Trouble> failed{};    // and those that still have
};
// Looks how far pending and failed steps had come, as a resume does, and drops those that are
// pending and not done.
[[nodiscard]] Result<Dropped> drop_pending(run::Run& run, command::Context& context);

}  // namespace tidemill::dupes
