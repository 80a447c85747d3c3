// EtaSmoother: smooths the ETA for display.
//
// The estimate of Pace varies a little each time. The smoother keeps a fixed end time while the
// estimates agree with it within a tenth (or a second), so that the remaining time counts down
// evenly; otherwise it sets a new end time. The result is never negative.
#pragma once

#include <chrono>
#include <optional>

#include "tidemill/base/clock.h"

namespace tidemill::term {

// One thread.
class EtaSmoother {
 public:
  static constexpr Instant::duration kLeastSlack = std::chrono::seconds(1);
  static constexpr int kSlackShare = 10;  // of the estimate: one tenth

  // The ETA to show now. Empty if `eta` is empty; the next estimate is then used unchanged.
  [[nodiscard]] std::optional<Instant::duration> smooth(Instant now,
                                                        std::optional<Instant::duration> eta);

 private:
  std::optional<Instant> end_;
};

}  // namespace tidemill::term
