// The Redis scripts of QueueView, each with its contract.
#pragma once

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

// Reads everything for a QueueStanding in one snapshot.
//   KEYS stream dead lease    ARGV maximum number of pending entries to read per consumer
//   {entries, field `at` of the first one or nil, dead, value of the lease or nil, its ms left,
//    groups: {name, pending, waiting or -1 if the server does not know,
//             consumers: {name, pending, ms idle, most ms since a delivery, most deliveries}}}
[[nodiscard]] const redis::Script& standing_script();

// Puts a dead batch back at the end of the stream. Its new id directly follows the last one: the
// producer leaves room between its ids, so its next batch is not refused.
//   KEYS stream dead    ARGV entry, room between two batches
//   id of the new entry; nil: no such entry; 'busy': no room until the next batch
[[nodiscard]] const redis::Script& retry_script();

}  // namespace tidemill::queue
