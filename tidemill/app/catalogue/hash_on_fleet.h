// hash_on_fleet: the same work as dupes::hash_wanted(), with the files read by the workers of a
// fleet.
//
//   list ──► WantedOrders ──► HashTasks ──► FleetDrive ──► Redis ──► workers: recipe "hash"
//                 ▲                             │
//                 └───────── HashJournal ◄──────┘ hashes, in the one transaction of a batch
//
// The name of the run comes from the catalogue and the list. So the same command, typed again or
// resumed after a kill, continues with what it has left in Redis, and two at the same time are
// noticed: the second takes over, and the first ends.
#pragma once

#include <span>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/rehash/wanted_orders.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/redis_flags/fleet_call.h"

namespace tidemill::app {

struct FleetHashing {
  std::span<const dupes::WantedFile> wanted{};
  std::string catalogue{};  // its path
  std::string id{};         // of the command, for people
  redis_flags::FleetCall call{};
};

// Fails as hash_wanted() does, and when the fleet cannot be used at all. A server that is away for
// a while is waited for.
[[nodiscard]] Result<dupes::WantedCounts> hash_on_fleet(const FleetHashing& work,
                                                        catalogue::Catalogue& catalogue,
                                                        dupes::Failures& failures,
                                                        const command::Context& context);

}  // namespace tidemill::app
