#include "tidemill/engine/limiter.h"

#include <cassert>
#include <cmath>

namespace tidemill::engine {
namespace {

constexpr double kSlowest = 1e-9;  // one in thirty years: a wait must fit into an Instant

}  // namespace

Result<void> LimiterOptions::check() const {
  if (!(per_second >= kSlowest)) {  // NaN too
    return fail(Cure::give_up, "limiter", "per_second must be above zero (at least 1e-9)");
  }
  if (burst < 1) return fail(Cure::give_up, "limiter", "burst must be at least 1");
  return {};
}

Limiter::Limiter(LimiterOptions options)
    : interval_(interval_of(options.per_second)), slack_(interval_ * (options.burst - 1)) {
  assert(options.check());
}

// Rounded up, never down: with an interval slightly too short, a window could hold one token too
// many. Rates whose interval is a whole number of nanoseconds must come out exact, so the quotient
// is raised only when the remainder (exact with fma) says that it is too small.
Limiter::Fine Limiter::interval_of(double per_second) {
  constexpr double kSecond = 1e9;
  if (std::isinf(per_second)) return 0;
  double interval = kSecond / per_second;
  if (std::fma(-interval, per_second, kSecond) > 0) {
    interval = std::nextafter(interval, std::numeric_limits<double>::infinity());
  }
  return static_cast<Fine>(std::ceil(std::ldexp(interval, 32)));
}

}  // namespace tidemill::engine
