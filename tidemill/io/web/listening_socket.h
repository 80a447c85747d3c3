// listen_on: opens a listening socket on an address, host:port, [::1]:port or unix:/path. It is
// never shared: an address in use is a failure, even if this process uses it.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/unix_name.h"

namespace tidemill::web {

// One thread.
struct ListeningSocket {
  Descriptor socket;  // non-blocking
  UnixName name{};    // of a Unix socket: removed at the end
};

// Fails with step "listen" and Cure::give_up when the address is invalid, not local,
// in use, or not permitted.
[[nodiscard]] Result<ListeningSocket> listen_on(const std::string& address);

[[nodiscard]] std::uint16_t port_of(const Descriptor& socket);  // 0 of a Unix socket

}  // namespace tidemill::web
