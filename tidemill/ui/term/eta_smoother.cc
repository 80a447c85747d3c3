#include "tidemill/ui/term/eta_smoother.h"

#include <algorithm>

namespace tidemill::term {

std::optional<Instant::duration> EtaSmoother::smooth(Instant now,
                                                     std::optional<Instant::duration> eta) {
  if (!eta) {
    end_.reset();
    return std::nullopt;
  }
  const Instant estimate = now + *eta;
  const auto slack = std::max(*eta / kSlackShare, kLeastSlack);
  if (!end_ || std::chrono::abs(estimate - *end_) > slack) end_ = estimate;
  return std::max(*end_ - now, Instant::duration::zero());
}

}  // namespace tidemill::term
