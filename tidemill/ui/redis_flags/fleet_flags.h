// The fleet of a verb: FLEET is redis:NAME on the command line, and the server and the key come
// from flags that every verb of a fleet has, with the same help texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::redis_flags {

[[nodiscard]] command::Flag fleet_key_flag(const std::string& group);
// redis, those of flags(), fleet-key, insecure-fleet.
[[nodiscard]] std::vector<command::Flag> fleet_flags(const std::string& group);
// The same for a verb that only looks at a fleet: without insecure-fleet.
[[nodiscard]] std::vector<command::Flag> fleet_view_flags(const std::string& group);

enum class KeyUse : std::uint8_t {
  required,  // fails with kind usage without a key, unless --insecure-fleet is given
  optional,  // for a verb with fleet_view_flags(): without a key, nothing is verified
};

struct FleetChoice {
  std::string fleet{};            // its name, valid
  redis::ClientOptions client{};  // in a cluster: of the slot of the fleet
  fleet::FleetKey key{};          // not given: no signatures
};

// The NAME of redis:NAME. Fails with kind usage.
[[nodiscard]] Result<std::string> fleet_name(const std::string& typed);

// `typed`: redis:NAME. Failures about what the user typed have the kind usage.
[[nodiscard]] Result<FleetChoice> fleet_of(const std::string& typed, const cli::CliContext& cli,
                                           KeyUse use = KeyUse::required);

// Adds a hint to a failure of Redis where one is known (advice.h).
[[nodiscard]] Failure with_advice(Failure failure, const FleetChoice& choice);

// The file of --fleet-key, which TIDEMILL_FLEET_KEY and the config file also set; by default
// fleet.key beside the user's config file. Empty: neither is given, and the user has no home.
[[nodiscard]] std::string key_file(const cli::CliContext& cli);
[[nodiscard]] std::string default_key_file(const cli::CliContext& cli);

}  // namespace tidemill::redis_flags
