// The keys of a BullMQ queue and the scripts that add jobs to it. BullMQ does not document its
// format: this follows what versions 4, 5 and 6 store and read, and tests/queues runs workers of
// all three on what is written here. docs/formats/redis.md has the fields.
//
// The scripts write only those BullMQ keys that BullMQ's own producers write. `meta` belongs to the
// owners of the queue and is only read.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

struct BullKeys {
  std::string base{};  // "bull:files:", the prefix of job ids
  std::string wait{};
  std::string paused{};
  std::string active{};
  std::string delayed{};
  std::string prioritized{};
  std::string meta{};
  std::string id{};
  std::string events{};
  std::string marker{};
  // Ours. BullMQ's removeOrphanedJobs() deletes any unknown `<base><word>` as an orphaned job; it
  // ignores names of two words.
  std::string standing{};
  std::string lock{};
};

// If the prefix or the queue has a hash tag ("{bull}"), the lock gets it too, so that all keys are
// in one slot of a cluster.
[[nodiscard]] BullKeys bull_keys(std::string_view prefix, std::string_view queue,
                                 std::string_view directory);

// "{bull}", with its braces; empty if the key has no hash tag.
[[nodiscard]] std::string_view hash_tag_of(std::string_view key);

// The options of a job as BullMQ stores them: the JSON before and after the job id.
struct BullJobOptions {
  std::string head{};
  std::string tail{};
};
[[nodiscard]] BullJobOptions bull_job_options(std::uint32_t attempts,
                                              std::chrono::milliseconds backoff);

// KEYS lock standing
// ARGV run value term(ms) job
// Takes the lock if it is free or held by the same run, also by an earlier process of it.
// {"ok", standing of the job or nil}; {"held", value, ms left}.
[[nodiscard]] const redis::Script& bull_open_script();

// KEYS lock standing wait paused meta id events marker active
// ARGV value job first standing base name head tail timestamp(ms) resends(0 or 1), then id and data
// of each job
// Adds all jobs or none: only if the lock is ours and `first` is the next number. The lock alone is
// no fence: a call of an earlier connection may arrive after the same process has opened again.
// {"ok", codes}, one character per job. a: added. w, c, f: not added, because BullMQ has a job with
// this id that is waiting or active (w), completed (c) or failed (f); BullMQ itself would not add
// another either. With `resends`, completed and failed jobs are removed first, as BullMQ's own
// remove() does, and added again.
// {"free"}: the lock is free; {"stale", value}: it is held elsewhere; {"gap", last}.
[[nodiscard]] const redis::Script& bull_add_script();

// KEYS lock standing
// ARGV value job last run
// Marks the job as complete if the lock is ours and `last` is the number of its last batch. If the
// job is already complete, `last` may be 0: a new pass that sent nothing.
// {"ok"}, {"free"}, {"stale", value}, {"gap", last}
[[nodiscard]] const redis::Script& bull_complete_script();

}  // namespace tidemill::queue
