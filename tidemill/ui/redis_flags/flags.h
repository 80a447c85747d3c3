// The flags for authentication and TLS of a Redis connection. Every verb that uses Redis has them,
// with the same help texts.
#pragma once

#include <string>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::redis_flags {

// password-file, tls-ca, tls-cert, tls-key.
[[nodiscard]] std::vector<command::Flag> flags(const std::string& group);

}  // namespace tidemill::redis_flags
