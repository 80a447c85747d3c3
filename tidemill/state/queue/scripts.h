// The scripts behind QueueView, each with its contract.
#pragma once

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

// All that a standing needs in one picture.
//   KEYS stream dead lease    ARGV most pending entries to look at, of each consumer
//   {entries, field `at` of the first one or nil, dead, value of the lease or nil, its ms left,
//    groups: {name, pending, waiting or -1 when the server cannot tell,
//             consumers: {name, pending, ms idle, most ms since a delivery, most deliveries}}}
[[nodiscard]] const redis::Script& standing_script();

// Puts a dead batch back at the end of the stream. Its id is the one behind the last: between the
// numbers of a producer there is room for that, so that its next batch is not refused.
//   KEYS stream dead    ARGV entry, room between two batches
//   id of the new entry; nil: there is no such entry; 'busy': no room until the next batch
[[nodiscard]] const redis::Script& retry_script();

}  // namespace tidemill::queue
