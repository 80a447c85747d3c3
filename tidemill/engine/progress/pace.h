// Pace: the current rate of a run and its ETA, from repeated observations of its counts.
//
// The rate is a mean over the time since the first observation with exponentially decreasing
// weight: by a factor of e per window. It is exact for steps of any length, and because it is a
// mean from the first step on, it does not climb from zero at the start. Its properties:
//
//   - a constant rate is reported exactly, whatever the steps;
//   - after a change it moves to the new rate without overshooting or turning back;
//   - it is never negative and never NaN; if nothing settles, it goes down to zero.
//
// The window is 15 s, or longer if items are rare: about the time of ten observations in which
// something settled. So a run that settles 64 large files every minute has a steady rate, not one
// that jumps once a minute.
//
// There is no ETA while the total is unknown, in the first two seconds, before anything has
// settled, and after nothing has settled for two windows: the ETA of a stalled run grows until
// then. The ETA is the time for the remaining items or for the remaining bytes, whichever is
// longer, and never negative.
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

  // The first observation is the base: items settled before it (in a resumed run) do not count in
  // the rate. An observation that is not later than the previous one counts in the next step.
  void observe(Instant now, const FlowCounts& counts);

  // As of the last observation.
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

  std::optional<Instant> last_sign_;  // the last step in which something settled
  Seconds stall_after_{0};            // without a sign
};

}  // namespace tidemill::engine
