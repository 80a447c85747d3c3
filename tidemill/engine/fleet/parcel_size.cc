#include "tidemill/engine/fleet/parcel_size.h"

#include <algorithm>

namespace tidemill::engine {

void ParcelSize::note(std::chrono::microseconds took) {
  constexpr double kShare = 1.0 / 16;  // of the newest task
  const auto micros =
      static_cast<double>(std::max(took.count(), std::chrono::microseconds::rep{1}));
  average_ = is_known_ ? average_ + kShare * (micros - average_) : micros;
  is_known_ = true;
}

std::size_t ParcelSize::next(std::size_t ready, std::size_t places, bool is_the_rest) const {
  if (!is_known_) return 1;
  const double fitting = static_cast<double>(options_.work.count()) / average_;
  std::size_t size = options_.most;
  if (fitting < static_cast<double>(options_.most)) size = static_cast<std::size_t>(fitting);
  const std::size_t shares = 2 * std::max<std::size_t>(places, 1);
  if (is_the_rest) size = std::min(size, (ready + shares - 1) / shares);
  return std::max<std::size_t>(size, 1);
}

}  // namespace tidemill::engine
