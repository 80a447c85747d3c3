// HttpAddress: a server address as parsed by libcurl, and whether others can read what is sent
// there. The same parser decides and sends, so an address cannot mean one host here and another one
// there.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::http {

struct HttpAddress {
  std::string host{};  // IPv6 in brackets
  std::string port{};
  bool is_encrypted = false;  // https
  bool has_user = false;      // the address contains a user or a password

  // "host:port": the only part that a message may show. The rest may contain a password or a key.
  [[nodiscard]] std::string place() const { return host + ":" + port; }
};

// Fails with step "url" and Cure::give_up when the URL is invalid or not http:// or https://. The
// failure does not show the URL.
[[nodiscard]] Result<HttpAddress> address_of(const std::string& url);

// localhost, 127.0.0.0/8 and ::1: requests do not leave this machine.
[[nodiscard]] bool is_loopback(std::string_view host);

// Whether a request to this address may be read by others on a network: plain http, unless the host
// and the proxy (if any) are both this machine. An empty `proxy` means none, because a Session
// ignores the proxy variables of the environment for this machine. False for an invalid address:
// nothing is sent there.
[[nodiscard]] bool is_exposed(const std::string& url, const std::string& proxy);

}  // namespace tidemill::http
