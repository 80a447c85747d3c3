// The outlets to Redis: a stream, fenced by its entry ids, and a BullMQ queue, fenced by a check in
// the script that adds jobs. docs/formats/redis.md has the keys and fields.
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
  std::string job{};  // identifies tree and settings; another producer of the job can continue it
  std::string run{};  // of this producer; globally unique, no spaces. The lease belongs to the run,
                      // so a resumed run gets it at once
  std::string owner{};  // "host:pid", for people who find the lease held
  std::chrono::milliseconds lease{30'000};
};

struct StreamOptions {
  std::string stream{};
  std::string group = "tidemill";  // created with the stream, before its first batch
};

// A batch is an entry `<epoch>-<number × 1,000,000>` with the fields id, at (ms since 1970, by the
// producer's clock) and batch (the payload). Taking the lease raises the last id of the stream to
// `<epoch>-0`, so XADD itself refuses a producer with an older epoch (outlet_scripts.h). Clock and
// log must outlive the outlet. Kind usage: an invalid name.
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

// Adds jobs as BullMQ's own producers do, for workers of versions 4, 5 and 6. The id of a job is
// the id of its batch, and BullMQ keeps at most one job per id: a waiting batch is not added twice,
// and a completed or failed one that BullMQ still keeps is not added again, unless `resends`.
[[nodiscard]] Result<std::unique_ptr<Outlet>> make_bull_outlet(OutletOptions options,
                                                               BullOptions bull, const Clock& clock,
                                                               Log& log);

// Settings with which the server may lose batches: an eviction policy other than noeviction, or
// missing or weak persistence. One sentence each, for people; empty: none found, or the server does
// not show its settings.
[[nodiscard]] Result<std::vector<std::string>> worries(redis::Client& client,
                                                       const std::stop_token& stop);

}  // namespace tidemill::queue
