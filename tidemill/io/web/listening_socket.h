// A socket that listens on an address, host:port or [::1]:port. Nobody shares the port: an address
// that is taken is a failure, also when it is ours.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::web {

// Non-blocking. Failure, step "listen", give_up: the address makes no sense, is not this machine's,
// is taken, or is not allowed.
[[nodiscard]] Result<Descriptor> listen_on(const std::string& address);

[[nodiscard]] std::uint16_t port_of(const Descriptor& socket);

}  // namespace tidemill::web
