// listen_on: opens a listening socket on an address, host:port or [::1]:port. The port is never
// shared: an address in use is a failure, even if this process uses it.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::web {

// Non-blocking. Fails with step "listen" and Cure::give_up when the address is invalid, not local,
// in use, or not permitted.
[[nodiscard]] Result<Descriptor> listen_on(const std::string& address);

[[nodiscard]] std::uint16_t port_of(const Descriptor& socket);

}  // namespace tidemill::web
