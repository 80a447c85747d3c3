// The Redis scripts of the stream outlet, each with its contract. They implement the fencing: the
// server decides atomically who may write.
//
// Epochs. Taking the lease starts a new epoch, greater than every earlier epoch and entry, and
// raises the last id of the stream to `<epoch>-0`. XADD refuses an id that is not greater than the
// last one. So XADD itself refuses a producer with an old epoch, without a further check:
//
//   A: acquire ─► 1000    XADD 1000-1000000 ok           (stopped) …  XADD 1000-2000000 REFUSED
//   B:                                       acquire ─► 2000   XADD 2000-2000000 ok
//   last id:   1000-0     1000-1000000                  2000-0   2000-2000000
//
// Progress. The entries of a group and the progress record of the job are written in one
// transaction. But a Redis transaction continues after one of its commands is refused:
//
//   A (stale): MULTI  XADD… refused  HSET progress "at batch 2"  EXEC    B's record is overwritten,
//                                                                        or batch 2 is never sent
//
// So a script (commit_script) writes the record as the last command of the transaction, and only if
// the first entry of the group is in the stream. Ids increase within a group, no other command runs
// in between, and no id is sent twice under one epoch. So if this transaction added the first
// entry, it added all of them; if not, the record is unchanged. That holds for every reason of a
// refusal: a stale epoch, an XADD of another program that raised the last id (even to the middle of
// the group), a key of the wrong type. The script also compares the epoch, for the one case in
// which a stale producer has greater ids: a replica with a slow clock was promoted before it
// received the last epoch.
//
// Room. There are kRoom ids between two batches, for dead batches that are put back in the stream
// while a producer is running: they must not raise the last id above its epoch, as `*` would.
#pragma once

#include <cstdint>

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

inline constexpr std::uint64_t kRoom = 1'000'000;

// Takes the lease if it is free or held by the same run, starts a new epoch, and creates the stream
// and the group if they are missing.
//   KEYS lease epoch stream progress    ARGV run, owner, term in ms, group, job
//   {1, epoch, value of the lease, progress of the job or nil}
//   {0, value of the lease, its time left in ms}: held by another run
//   {-1, last id}: the stream has an id near 2^53, the largest number that is exact in Lua
//     (as a time in ms: the year 287,396); no entry can follow it
[[nodiscard]] const redis::Script& acquire_script();

// The last command of a group: records the progress of the job if the group was added.
//   KEYS stream epoch progress    ARGV id of the first entry, epoch, job, progress
//   1: recorded. 0: not recorded
[[nodiscard]] const redis::Script& commit_script();

// Records the progress if the lease is ours.
//   KEYS lease progress    ARGV value of the lease, job, progress
//   1: recorded. 0: the lease is not ours
[[nodiscard]] const redis::Script& note_script();

}  // namespace tidemill::queue
