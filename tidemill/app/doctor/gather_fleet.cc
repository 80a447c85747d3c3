#include <chrono>
#include <cstdint>
#include <utility>

#include "tidemill/app/doctor/fleet_rights.h"
#include "tidemill/app/doctor/gather.h"
#include "tidemill/base/try.h"
#include "tidemill/io/redis/number_of.h"

namespace tidemill::app {
namespace {

// The narrowest counts: a single one may meet a busy network.
constexpr int kReadings = 5;

std::chrono::nanoseconds width_of(const ClockLead& lead) { return lead.most - lead.least; }

Result<ClockLead> ask_clock(redis::Client& client, const Clock& clock,
                            const std::stop_token& stop) {
  std::optional<ClockLead> best;
  for (int i = 0; i < kReadings; ++i) {
    const WallTime before = clock.wall();
    LET(const auto time, client.call({"TIME"}, stop));
    const auto lead = clock_lead(before, time, clock.wall());
    if (lead && (!best || width_of(*lead) < width_of(*best))) best = lead;
  }
  if (!best) return fail(Cure::give_up, "redis", "no valid reply to TIME");
  return *best;
}

}  // namespace

std::optional<ClockLead> clock_lead(WallTime before, const redis::Reply& time, WallTime after) {
  if (time.items.size() != 2 || after < before) return std::nullopt;
  const auto seconds = redis::number_of<std::int64_t>(time.items[0].text);
  const auto micros = redis::number_of<std::int64_t>(time.items[1].text);
  // A time that nanoseconds cannot hold is not one.
  constexpr std::int64_t kMostSeconds = 4'000'000'000;
  if (!seconds || !micros || *seconds < 0 || *seconds > kMostSeconds) return std::nullopt;
  const auto server = std::chrono::seconds(*seconds) + std::chrono::microseconds(*micros);
  return ClockLead{.least = before.time_since_epoch() - server,
                   .most = after.time_since_epoch() - server};
}

void gather_fleet(redis::ClientOptions client, const Clock& clock, const std::stop_token& stop,
                  FleetFacts& facts) {
  if (!client.address.user.empty()) facts.user = client.address.user;
  auto made = redis::Client::make(std::move(client), clock);
  if (!made) return;
  facts.rights = ask_rights(**made, facts.name, stop);
  facts.clock = ask_clock(**made, clock, stop);
}

}  // namespace tidemill::app
