#include "tidemill/engine/fleet/parcel_size.h"

#include <algorithm>
#include <cmath>

namespace tidemill::engine {
namespace {

constexpr std::size_t kFewestAPlace = 2;

}  // namespace

void ParcelSize::note(std::chrono::microseconds took) {
  constexpr double kShare = 1.0 / 16;  // of the newest task
  const auto micros =
      static_cast<double>(std::max(took.count(), std::chrono::microseconds::rep{1}));
  average_ = is_known_ ? average_ + kShare * (micros - average_) : micros;
  is_known_ = true;
}

// Of tasks like the recent ones.
std::size_t ParcelSize::usual() const {
  const double fitting = static_cast<double>(options_.work.count()) / average_;
  if (fitting >= static_cast<double>(options_.most)) return options_.most;
  return std::max<std::size_t>(static_cast<std::size_t>(fitting), 1);
}

std::size_t ParcelSize::next(std::size_t ready, std::size_t places, bool is_the_rest) const {
  if (!is_known_) return 1;
  if (!is_the_rest) return usual();
  const std::size_t shares = 2 * std::max<std::size_t>(places, 1);
  return std::clamp<std::size_t>((ready + shares - 1) / shares, 1, usual());
}

std::size_t ParcelSize::parcels_a_place() const {
  if (!is_known_) return kFewestAPlace;
  const double work = average_ * static_cast<double>(usual());
  const double ahead = std::ceil(static_cast<double>(options_.ahead.count()) / work);
  const double most = static_cast<double>(options_.most_parcels) - 1;
  return std::max(kFewestAPlace, 1 + static_cast<std::size_t>(std::min(ahead, most)));
}

}  // namespace tidemill::engine
