// The Redis scripts of a fleet, each with its contract. They make what one side does one step, and
// they are what the fencing and the ownership rest on.
//
// A script answers -1 if the server does not know the run (the stream q or its group is gone), and
// -2 if a newer epoch than the caller's was opened. A stored epoch below the caller's, or none, is
// -1 too: the server has lost the caller's open(), in a failover or by an eviction. run_script()
// turns both into failures.
//
// Memory. A server at its limit refuses only the first write of a script, if that write needs
// memory. give() begins with such a write, so it is refused without effect. open() and confirm()
// must pass, because reports are drained only by a dispatcher that could open, and a worker that
// cannot confirm loses its parcels: they need next to no memory, and begin with an XDEL that does
// nothing.
//
// Numbers in Lua are exact up to 2^53, so no epoch is above kMostEpoch.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::fleet {

inline constexpr std::uint64_t kMostEpoch = (std::uint64_t{1} << 53U) - 2;

// The server does not know the run (not_found, Cure::retry); another process has opened it
// (superseded, Cure::give_up).
[[nodiscard]] Failure unknown_run(const redis::Client& client);
[[nodiscard]] Failure superseded_run(const redis::Client& client);
// Cure::give_up: what answers is not a Redis that we know.
[[nodiscard]] Failure strange_reply(const redis::Client& client);

[[nodiscard]] Result<redis::Reply> run_script(redis::Client& client, const redis::Script& script,
                                              std::span<const std::string_view> keys,
                                              std::span<const std::string_view> arguments);

// Starts an epoch: above the known one, the stored one, that of every id the stream has had, and
// not below the server's time in ms. Raises the last id of the stream to it, which refuses every
// XADD of an earlier epoch. A stream with an id above kMostEpoch, which nothing of ours has sent,
// is deleted: no id could follow.
//   KEYS q epoch    ARGV known
//   the epoch, as text
[[nodiscard]] const redis::Script& open_script();

// A page of the parcels, and who holds them.
//   KEYS q    ARGV start of the range, most
//   {entries, {id, holder, …}}
[[nodiscard]] const redis::Script& parcels_script();

// Of these parcels, those that no worker has or will get, and that no report answers. Reads the
// reports only if a parcel is gone.
//   KEYS q out    ARGV lowest id, highest id, ids…
//   ids
[[nodiscard]] const redis::Script& missing_script();

//   KEYS q epoch out    ARGV epoch, ids of reports…
//   how many were removed
[[nodiscard]] const redis::Script& drain_script();

// Removes reports without a valid signature, and counts them.
//   KEYS q epoch out forged    ARGV epoch, ids of reports…
//   how many were removed
[[nodiscard]] const redis::Script& reject_reports_script();

// Removes parcels without a valid signature, whoever holds them, and counts them.
//   KEYS q epoch forged    ARGV epoch, ids…
//   how many were removed
[[nodiscard]] const redis::Script& reject_parcels_script();

// The same for a worker: only what it holds.
//   KEYS q forged    ARGV worker, ids…
//   how many were removed
[[nodiscard]] const redis::Script& reject_held_script();

// Removes parcels that were not confirmed for that long, and workers of the group that hold nothing
// and were not seen for longer. (A consumer with pending entries must never be removed: its entries
// would be lost for ever.)
//   KEYS q epoch    ARGV epoch, idle in ms of a parcel, idle in ms of a worker, most
//   {id, worker, idle in ms} of at most so many
[[nodiscard]] const redis::Script& take_back_script();

// Removes parcels that were not delivered.
//   KEYS q epoch    ARGV epoch, most
//   ids of at most so many
[[nodiscard]] const redis::Script& recall_script();

// The cards that are not older than the term. The others are removed.
//   KEYS q epoch w    ARGV epoch, term in ms
//   cards
[[nodiscard]] const redis::Script& roster_script();

// Removes the keys of a run, unless a newer epoch was opened.
//   KEYS epoch, all…    ARGV epoch
//   0, or -2
[[nodiscard]] const redis::Script& remove_script();

// What a worker holds, as entries; nothing of it is confirmed. The fields of an entry that is gone
// are nil.
//   KEYS q    ARGV worker, start of the range, most
//   entries
[[nodiscard]] const redis::Script& held_script();

// Stores the report on a parcel and removes the parcel, if the worker holds it.
//   KEYS q out    ARGV worker, id, reports, signature
//   1: stored. 0: not its parcel
[[nodiscard]] const redis::Script& give_script();

// Confirms the parcels that the worker holds, as far as they are named, and stores its card.
//   KEYS q w    ARGV worker, card, ids…
//   the ids of all it holds
[[nodiscard]] const redis::Script& confirm_script();

}  // namespace tidemill::fleet
