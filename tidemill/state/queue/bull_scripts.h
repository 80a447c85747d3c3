// The keys of a BullMQ queue and the scripts by which we add to it. BullMQ has no written contract
// of its format: what its versions 4, 5 and 6 store and read was looked at, and tests/queues runs
// workers of all three on what is written here. docs/formats/redis.md has the fields.
//
// Of BullMQ's own keys only those are written that its own producers write too; `meta`, which
// belongs to the queue's owners, is read and never written.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

struct BullKeys {
  std::string base{};  // "bull:files:", in front of the id of a job
  std::string wait{};
  std::string paused{};
  std::string active{};
  std::string delayed{};
  std::string prioritized{};
  std::string meta{};
  std::string id{};
  std::string events{};
  std::string marker{};
  // Ours. BullMQ's removeOrphanedJobs() takes any `<base><word>` that it does not know for a job
  // without a queue and deletes it; a name of two words it leaves alone.
  std::string standing{};
  std::string lock{};
};

// With a hash tag in the prefix or the queue ("{bull}") the lock carries it too, so that all keys
// are in one slot of a cluster.
[[nodiscard]] BullKeys bull_keys(std::string_view prefix, std::string_view queue,
                                 std::string_view directory);

// "{bull}", with its braces; empty: there is none.
[[nodiscard]] std::string_view hash_tag_of(std::string_view key);

// What BullMQ stores as the options of a job, around its id.
struct BullJobOptions {
  std::string head{};
  std::string tail{};
};
[[nodiscard]] BullJobOptions bull_job_options(std::uint32_t attempts,
                                              std::chrono::milliseconds backoff);

// KEYS lock standing
// ARGV run value term(ms) job
// Takes the lock if it is free or held by the same run, whatever its process was then; says where
// the job stands: {"ok", standing or nil}, {"held", value, ms left}.
[[nodiscard]] const redis::Script& bull_open_script();

// KEYS lock standing wait paused meta id events marker active
// ARGV value job first standing base name head tail timestamp(ms) resends(0 or 1), then id and data
// of each
// Adds them if the lock is ours and `first` is 1 or comes next: all or nothing.
// {"ok", letters}, one for each: a added; w, c or f: BullMQ has a job of this id that waits or is
// being worked on, is completed, or failed, and would not add another either. With `resends` those
// of c and f are removed first, as BullMQ's own remove() does, and added.
// {"free"}: nobody has the lock; {"stale", value}; {"gap", last}.
[[nodiscard]] const redis::Script& bull_add_script();

// KEYS lock standing
// ARGV value job last run
// Marks the job as complete if the lock is ours and `last` is the last it has.
// {"ok"}, {"free"}, {"stale", value}, {"gap", last}
[[nodiscard]] const redis::Script& bull_complete_script();

}  // namespace tidemill::queue
