// Address: what the address of a server says, as libcurl reads it, and whether others can read what
// is sent there. What decides and what sends have the same parser: no address means one host here
// and another one there.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::http {

struct Address {
  std::string host{};  // an IPv6 address is in brackets
  std::string port{};
  bool is_encrypted = false;  // https
  bool has_user = false;      // a user or a password stands in the address

  // "host:port": what a message may show of an address. The rest may hold a password or a key.
  [[nodiscard]] std::string place() const { return host + ":" + port; }
};

// Failure, step "url", give_up: not http:// or https://, or no address. It does not show it.
[[nodiscard]] Result<Address> address_of(const std::string& url);

// localhost, 127.0.0.0/8 and ::1: what is sent there does not leave this machine.
[[nodiscard]] bool is_loopback(std::string_view host);

// Whether a request to this address crosses a network that others may read: http, and neither to
// this machine nor to a proxy on it. An empty proxy is none: a Session asks no proxy of the
// environment for this machine. What is no address is asked for nothing.
[[nodiscard]] bool is_exposed(const std::string& url, const std::string& proxy);

}  // namespace tidemill::http
