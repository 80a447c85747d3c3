// work_on_fleet(): the work of one process on a run of `each` whose commands run on a fleet.
//
//   finder ──► journal ──► feeder ──► FleetDrive ──► Redis ──► workers: EachStage
//                 ▲                       │
//                 └── EachFleetSink ◄─────┘ reports: output is printed, then the outcome committed
//
// Everything that belongs to the run stays in this process: names, retries, rate, halt, output,
// order, dead letters, progress. Without a fleet the same run continues with threads (each.h).
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/redis_flags/fleet_call.h"

namespace tidemill::each {

// Works on the run until every task is settled or it has to stop. Returns a Failure only if it
// could not start.
[[nodiscard]] Result<jobs::FileRunOutcome> work_on_fleet(const EachOptions& options,
                                                         const jobs::FileRunRequest& assignment,
                                                         const redis_flags::FleetCall& on,
                                                         run::Run& run, command::Context& context);

}  // namespace tidemill::each
