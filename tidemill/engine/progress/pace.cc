#include "tidemill/engine/progress/pace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tidemill::engine {
namespace {

constexpr double kSignsInWindow = 10;
constexpr double kStallWindows = 2;

// Counts are read one by one while other threads write them, so they may be slightly inconsistent.
std::uint64_t above(std::uint64_t larger, std::uint64_t smaller) {
  return larger > smaller ? larger - smaller : 0;
}

double seconds_for(std::uint64_t left, double per_second) {
  if (left == 0) return 0;
  return per_second > 0 ? static_cast<double>(left) / per_second
                        : std::numeric_limits<double>::infinity();
}

}  // namespace

void Pace::observe(Instant now, const FlowCounts& counts) {
  latest_ = counts;
  if (!first_) {
    first_ = last_ = now;
    counted_items_ = counts.settled();
    counted_bytes_ = counts.settled_bytes.count;
  }
  if (now <= last_) return;
  const Seconds step = now - last_;
  const Seconds faded_over = window();
  const double kept = std::exp(-(step / faded_over));
  const double weight = -std::expm1(-(step / faded_over)) * faded_over.count();
  const double share = weight / step.count();  // of each second in the step
  const std::uint64_t items = above(counts.settled(), counted_items_);
  const std::uint64_t bytes = above(counts.settled_bytes.count, counted_bytes_);
  weight_ = weight_ * kept + weight;
  items_ = items_ * kept + share * static_cast<double>(items);
  bytes_ = bytes_ * kept + share * static_cast<double>(bytes);
  signs_ = signs_ * kept + (items > 0 ? share : 0.0);
  last_ = now;
  counted_items_ += items;
  counted_bytes_ += bytes;
  if (items > 0) {
    last_sign_ = now;
    stall_after_ = kStallWindows * window();
  }
}

// Before the first sign the window is kLongestEta, so that nothing fades.
Pace::Seconds Pace::window() const {
  const double signs_per_second = mean_of(signs_);
  const Seconds longest = kLongestEta;
  if (signs_per_second * longest.count() <= kSignsInWindow) return longest;
  return std::max(Seconds(kWindow), Seconds(kSignsInWindow / signs_per_second));
}

std::optional<Instant::duration> Pace::eta(bool is_total_known) const {
  if (!is_total_known || !first_) return std::nullopt;
  const std::uint64_t items = above(latest_.found, latest_.settled());
  if (items == 0) return Instant::duration(0);
  if (last_ - *first_ < kWarmUp || is_stalled()) return std::nullopt;
  const std::uint64_t bytes = above(latest_.found_bytes.count, latest_.settled_bytes.count);
  const double seconds =
      std::max(seconds_for(items, items_per_second()), seconds_for(bytes, bytes_per_second()));
  if (!(seconds <= Seconds(kLongestEta).count())) return std::nullopt;  // infinity too
  return std::chrono::duration_cast<Instant::duration>(Seconds(seconds));
}

bool Pace::is_stalled() const { return !last_sign_ || last_ - *last_sign_ > stall_after_; }

}  // namespace tidemill::engine
