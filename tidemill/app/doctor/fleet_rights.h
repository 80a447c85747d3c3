// What the user of a Redis server may do of what a fleet needs, without writing anything: a script
// asks the server about each command that coordinators and workers send (redis.acl_check_cmd, since
// Redis 7.0), so the user needs no right but that for scripts, which both sides need anyway.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/doctor/facts.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/reply.h"

namespace tidemill::app {

// A command on a key of a run: {FLEET}:*:q stands for the parcels of any run, as in an ACL.
struct FleetCommand {
  std::string line{};  // as it is sent: "xadd {films}:*:out * p 1"
  std::string name{};  // for people: "xadd {films}:*:out"
};

// All that the scripts and calls of one side use (tidemill/state/fleet), without what only greets
// the server. A coordinator's include those of `tidemill fleet`.
[[nodiscard]] std::vector<FleetCommand> commands_of_coordinator(std::string_view fleet);
[[nodiscard]] std::vector<FleetCommand> commands_of_worker(std::string_view fleet);

// The reply to the script about the commands of a coordinator, then of a worker. Kind unsupported:
// the server cannot say.
[[nodiscard]] Result<FleetRights> rights_of(const redis::Reply& reply, std::string_view fleet,
                                            const std::string& server);
[[nodiscard]] Result<FleetRights> ask_rights(redis::Client& client, std::string_view fleet,
                                             const std::stop_token& stop);

}  // namespace tidemill::app
