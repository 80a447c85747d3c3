// The Redis scripts of FleetBoard, each with its contract.
#pragma once

#include "tidemill/io/redis/client.h"

namespace tidemill::fleet {

// Stores what a worker says about itself, with the time of the server.
//   KEYS hosts    ARGV consumer, packed host
//   1: the consumer is new
[[nodiscard]] const redis::Script& announce_script();

// Stores a run, and lets the keys of its tasks live on for as long as nobody publishes it again.
//   KEYS runs published, keys of the run    ARGV run, value, ms to live
[[nodiscard]] const redis::Script& publish_script();

// Removes all of a run.
//   KEYS runs published paused, keys of the run    ARGV run
//   whether it was there
[[nodiscard]] const redis::Script& withdraw_script();

// Reads all hosts, and removes those that last announced themselves too long ago.
//   KEYS hosts    ARGV most ms
//   {consumer, ms since then, packed host, consumer, …}
[[nodiscard]] const redis::Script& hosts_script();

// Reads everything for a FleetWindow in one snapshot.
//   KEYS parcels reports epoch forged workers    ARGV group, ms of the term
//   {1 if the server has stream and group else 0, entries of parcels, of these held, reports,
//    epoch or nil, forged or nil, workers that confirmed themselves within the term}
[[nodiscard]] const redis::Script& window_script();

}  // namespace tidemill::fleet
