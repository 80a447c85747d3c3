// Pace: how fast a run goes now, and when it will be through, from looks at its counts.
//
// The rate is a mean over the time since the first look in which older moments weigh less: by e for
// each window. It is exact for steps of any length, and because it is a mean from the first step
// on, there is no climb from zero at the start. What holds of it:
//
//   - a constant rate is answered as it is, whatever the steps;
//   - after a change the answer moves to the new rate without passing it or turning back;
//   - it is never negative and never NaN; a run in which nothing settles goes down to zero.
//
// The window is 15 s, or longer when items are rare: about the time of ten looks that saw something
// settle. So a run that settles 64 large files every minute has a steady rate, and not one that
// jumps once a minute.
//
// There is no ETA while the total is unknown, before two seconds have been seen and something has
// settled in them, and when nothing has settled for two windows: until then a stalled run's ETA
// grows, then it is gone. It is the time for the items left or for the bytes left, whichever is
// longer, and never below zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "tidemill/base/clock.h"
#include "tidemill/engine/flow.h"

namespace tidemill::engine {

// One thread.
class Pace {
 public:
  static constexpr Instant::duration kWindow = std::chrono::seconds(15);
  static constexpr Instant::duration kWarmUp = std::chrono::seconds(2);
  static constexpr Instant::duration kLongestEta = std::chrono::hours(24 * 1000);

  // The first look is the base: what was settled before it (a resumed run) is in no rate. Counts of
  // a look that is not later than the one before it go into the next step.
  void observe(Instant now, const FlowCounts& counts);

  // As of the last look.
  [[nodiscard]] double items_per_second() const { return mean_of(items_); }
  [[nodiscard]] double bytes_per_second() const { return mean_of(bytes_); }
  [[nodiscard]] std::optional<Instant::duration> eta(bool is_total_known) const;

 private:
  using Seconds = std::chrono::duration<double>;

  [[nodiscard]] double mean_of(double weighted) const {
    return weight_ > 0 ? weighted / weight_ : 0.0;
  }
  [[nodiscard]] Seconds window() const;
  [[nodiscard]] bool is_stalled() const;

  std::optional<Instant> first_;
  Instant last_{};
  std::uint64_t counted_items_ = 0;  // settled, up to last_
  std::uint64_t counted_bytes_ = 0;
  FlowCounts latest_;

  // Weighted sums over all steps: seconds, items, bytes, and steps in which something settled.
  double weight_ = 0;
  double items_ = 0;
  double bytes_ = 0;
  double signs_ = 0;

  std::optional<Instant> last_sign_;
  Seconds patience_{0};  // for the next sign
};

}  // namespace tidemill::engine
