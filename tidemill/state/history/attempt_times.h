// AttemptTimes: how long attempts took that no pool of this process ran: the workers of a fleet
// report them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/engine/pool_stats.h"
#include "tidemill/state/history/history_recorder.h"

namespace tidemill::history {

// Thread-safe.
class AttemptTimes {
 public:
  void add(engine::SlowAttempt attempt);
  [[nodiscard]] Timings timings() const;

 private:
  struct Times {
    std::map<std::string, engine::HistogramSnapshot> by_type{};
    std::vector<engine::SlowAttempt> slowest{};  // at least the slowest, more until it is cut
  };

  mutable Guarded<Times> times_;
};

}  // namespace tidemill::history
