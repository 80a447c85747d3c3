// ServeAddress: where `serve` may listen. Pages are read without encryption, so only on this
// machine: on loopback, or at a Unix socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::app {

// A value.
struct ServeAddress {
  std::string listened{};  // for web::Listener
  std::string host{};      // "127.0.0.1", "[::1]"; empty: a Unix socket

  [[nodiscard]] bool is_unix() const { return host.empty(); }
};

// "127.0.0.1:8585", "localhost:0", "[::1]:8585", "unix:/path". Fails with kind usage, also for an
// address that other machines can reach.
[[nodiscard]] Result<ServeAddress> serve_address_of(const std::string& text);

// Whether a Host header names this machine: localhost, 127.x.x.x or [::1], and behind it `port`. 0:
// any port, or none.
[[nodiscard]] bool is_own_host(std::string_view header, std::uint16_t port);

}  // namespace tidemill::app
