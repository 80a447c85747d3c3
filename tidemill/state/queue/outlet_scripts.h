// The scripts of the stream outlet, each with its contract. They are what fences: all that decides
// who may write happens inside the server, in one stroke.
//
// Epochs. Taking the lease gives a new epoch, greater than every epoch and every entry before, and
// raises the last id of the stream to `<epoch>-0`. XADD refuses an id that is not greater than the
// last one. So a producer whose epoch is over is refused by XADD itself, without a check:
//
//   A: acquire ─► 1000    XADD 1000-1000000 ok           (stopped) …  XADD 1000-2000000 REFUSED
//   B:                                       acquire ─► 2000   XADD 2000-2000000 ok
//   last id:   1000-0     1000-1000000                  2000-0   2000-2000000
//
// Progress. The entries of a group and the note how far the job has come are one transaction. But a
// transaction of Redis goes on when a command of it is refused:
//
//   A (stale): MULTI  XADD… refused  HSET progress "I am at 2"  EXEC      B's note is overwritten,
//                                                                         or batch 2 is never sent
//
// So the note is written by a script (commit_script), as the last command of the transaction, and
// only when the first entry of the group is in the stream. Ids grow within a group, nobody comes
// in between, and no epoch sends an id twice: so if the first was taken by this transaction, all
// were, and if it was not, the note stays as it was. That holds for every reason of a refusal: a
// stale epoch, a stranger's XADD that raised the last id (also to the middle of the group), a key
// of the wrong type. The script also asks for the epoch, for the one case in which a stale producer
// has greater ids: a replica with a slow clock was promoted before it heard of the last epoch.
//
// Room. Between two batches there are kRoom ids, for batches that are put back into the stream
// while a producer is at work: they must not raise the last id above its epoch, as `*` would.
#pragma once

#include <cstdint>

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

inline constexpr std::uint64_t kRoom = 1'000'000;

// Takes the lease if it is free or held by the same run, begins a new epoch, makes stream and group
// if they are missing.
//   KEYS lease epoch stream progress    ARGV run, owner, term in ms, group, job
//   {1, epoch, value of the lease, progress of the job or nil}
//   {0, value of the lease, its time left in ms}: somebody else's
//   {-1, last id}: the stream has an id near 2^53, the last number that is exact in Lua
//     (as a time in ms: the year 287,396); nothing can come behind it
[[nodiscard]] const redis::Script& acquire_script();

// The last command of a group: notes how far the job has come, if the group was taken.
//   KEYS stream epoch progress    ARGV id of the first entry, epoch, job, progress
//   1: noted. 0: not
[[nodiscard]] const redis::Script& commit_script();

// Notes the progress while the lease is ours.
//   KEYS lease progress    ARGV value of the lease, job, progress
//   1: noted. 0: the lease is not ours
[[nodiscard]] const redis::Script& note_script();

}  // namespace tidemill::queue
