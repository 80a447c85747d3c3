// The network of one simulated process, and the moment at which the process dies: in the middle of
// any call, before or after its effect.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "tidemill/base/clock.h"
#include "tidemill/testing/fleet_simulation/plan.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::testing::simulation {

// One thread.
class SimulatedNetwork final : public FleetNetwork {
 public:
  // What all networks share.
  struct Weather {
    const bool& is_healed;
    const Instant& away_until;  // the server
  };

  SimulatedNetwork(const Rates& rates, Weather weather, const Clock& clock, Chance& chance)
      : rates_(rates), weather_(weather), clock_(clock), chance_(chance) {}

  [[nodiscard]] CallFate next() override {
    if (is_dead_) return CallFate::request_lost;
    if (dies_now()) return die() ? CallFate::reply_lost : CallFate::request_lost;
    if (clock_.now() < std::max(cut_until_, weather_.away_until)) return CallFate::request_lost;
    if (weather_.is_healed) return CallFate::delivered;
    if (chance_.happens(rates_.request_lost)) return CallFate::request_lost;
    if (chance_.happens(rates_.reply_lost)) return CallFate::reply_lost;
    if (chance_.happens(rates_.repeated)) return CallFate::repeated;
    if (chance_.happens(rates_.delayed)) return CallFate::delayed;
    return CallFate::delivered;
  }
  [[nodiscard]] std::chrono::milliseconds delay() override {
    using std::chrono::milliseconds;
    return chance_.between(milliseconds(10), milliseconds(2'000));
  }

  // Whether the commit of a dying process still has its effect. Calls of the journal count, too.
  [[nodiscard]] bool commits() {
    if (is_dead_) return false;
    return !dies_now() || die();
  }

  void cut(Instant until) { cut_until_ = until; }
  void die_after(std::uint64_t calls) { calls_to_live_ = calls; }
  [[nodiscard]] bool is_dead() const { return is_dead_; }

 private:
  [[nodiscard]] bool dies_now() { return calls_to_live_ && (*calls_to_live_)-- == 0; }
  // Whether the last call still has its effect.
  [[nodiscard]] bool die() {
    is_dead_ = true;
    return chance_.happens(0.5);
  }

  const Rates& rates_;
  const Weather weather_;
  const Clock& clock_;
  Chance& chance_;
  Instant cut_until_{};
  std::optional<std::uint64_t> calls_to_live_{};
  bool is_dead_ = false;
};

}  // namespace tidemill::testing::simulation
