// The flags by which a person says how to come into a Redis. Every verb that talks to one has them,
// with the same words.
#pragma once

#include <string>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::redis_flags {

// password-file, tls-ca, tls-cert, tls-key.
[[nodiscard]] std::vector<command::Flag> flags(const std::string& group);

}  // namespace tidemill::redis_flags
