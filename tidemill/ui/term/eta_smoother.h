// EtaSmoother: an ETA that a person can watch.
//
// What Pace estimates moves a little with every look. Shown is a moment in the future that stays
// where it is while the estimates agree with it to a tenth (or a second), so that the time left
// counts down evenly; when they no longer agree, the moment is set anew. Never below zero.
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

  // What to show now. Nothing in, nothing out: and the next estimate is taken as it is.
  [[nodiscard]] std::optional<Instant::duration> smooth(Instant now,
                                                        std::optional<Instant::duration> eta);

 private:
  std::optional<Instant> end_;
};

}  // namespace tidemill::term
