// Predecessors: reports for worker processes of this user on this host that were killed. Their
// commands are ended; what was running is reported as crashed, the rest is returned.
#pragma once

#include <string>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/state/run/run_lock.h"

namespace tidemill::app {

// Makes the folder of a worker process, `consumer` below `folder`. It gets this name after it was
// locked, because Predecessors takes a folder without a lock for that of a dead process.
[[nodiscard]] Result<run::RunLock> make_worker_folder(const std::string& folder,
                                                      const std::string& consumer, WallTime now);

// One thread.
class Predecessors {
 public:
  struct Parts {
    redis::Client& client;
    fleet::FleetBoard& board;
    const Clock& clock;
    Log& log;
  };

  // `folder`: that of the processes on this fleet; each has a folder there, named by its consumer.
  Predecessors(std::string folder, std::string fleet, fleet::FleetKey key, Parts parts)
      : folder_(std::move(folder)), fleet_(std::move(fleet)), key_(std::move(key)), parts_(parts) {}

  // What fails here is done by the coordinators: they take the parcels back, without blaming a
  // task. `own` is the consumer of this process.
  void report(const std::string& own);

 private:
  [[nodiscard]] Result<void> report_for(const std::string& consumer, const std::string& folder);

  const std::string folder_;
  const std::string fleet_;
  const fleet::FleetKey key_;
  const Parts parts_;
};

}  // namespace tidemill::app
