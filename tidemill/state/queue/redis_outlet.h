// The outlets into Redis: a stream, fenced by its own ids, and a queue of BullMQ, fenced by a check
// in the script that adds. docs/formats/redis.md has the keys and fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/queue/outlet.h"

namespace tidemill::queue {

struct OutletOptions {
  redis::ClientOptions client{};  // its `home` is set by the outlet
  std::string job{};  // stands for tree and settings: producers of one job go on for each other
  std::string run{};  // of this producer; unique in the world, no blanks. The lease belongs to it:
                      // a run that is resumed has it at once
  std::string owner{};  // "host:pid", for people who find the lease held
  std::chrono::milliseconds lease{30'000};
};

struct StreamOptions {
  std::string stream{};
  std::string group = "tidemill";  // made with the stream, so that no batch comes before it
};

// A batch is an entry `<epoch>-<number × 1,000,000>` with the fields id, at (ms since 1970, by the
// producer's clock) and batch (the payload). Taking the lease raises the last id of the stream to
// `<epoch>-0`: who holds an older epoch is refused by XADD itself (outlet_scripts.h). Clock and log
// must outlive the outlet. Kind usage: a name that will not do.
[[nodiscard]] Result<std::unique_ptr<Outlet>> make_stream_outlet(OutletOptions options,
                                                                 StreamOptions stream,
                                                                 const Clock& clock, Log& log);

struct BullOptions {
  std::string queue{};
  std::string prefix = "bull";     // "{bull}" in a cluster
  std::string job_name = "batch";  // the name that workers see
  std::string directory{};         // canonical; the lock is discovery-lock:<directory>
  std::uint32_t attempts = 3;
  std::chrono::milliseconds backoff{1'000};
  bool resends = false;  // replaces jobs that are completed or failed
};

// A job as BullMQ's own producers make it, for workers of the versions 4, 5 and 6. Its id is the
// id of the batch, and BullMQ has one job for an id as long as it keeps it: a batch that waits is
// not added twice, and one that is completed or failed not again, unless `resends`.
[[nodiscard]] Result<std::unique_ptr<Outlet>> make_bull_outlet(OutletOptions options,
                                                               BullOptions bull, const Clock& clock,
                                                               Log& log);

// What could make the server lose what it was given: an eviction policy other than noeviction, no
// persistence. One sentence each, for people; empty: nothing was found, or it could not be asked.
[[nodiscard]] Result<std::vector<std::string>> worries(redis::Client& client,
                                                       const std::stop_token& stop);

}  // namespace tidemill::queue
