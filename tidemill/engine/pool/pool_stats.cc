#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

double PoolStats::utilisation() const {
  WorkerStats all;
  for (const auto& worker : workers) {
    all.busy += worker.busy;
    all.idle += worker.idle;
  }
  return all.utilisation();
}

}  // namespace tidemill::engine
