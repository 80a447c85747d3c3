// What RedisFleetMember and FleetInbox share: the inbox receives parcels in the name of a member.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/state/fleet/run_seal.h"

namespace tidemill::fleet {

// One thread.
struct RedisFleetMember::State {
  State(redis::Client& a_client, FleetPlace place, std::string a_name);

  // Opens what was delivered to us. Entries that are not valid are removed; if that gets no answer,
  // they stay ours, and the next held() finds them.
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> open(const redis::Reply& entries);

  redis::Client& client;
  const FleetRunKeys keys;
  const RunSeal seal;
  const std::string name;
  std::uint64_t forged = 0;
};

}  // namespace tidemill::fleet
