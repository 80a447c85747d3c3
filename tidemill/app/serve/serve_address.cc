#include "tidemill/app/serve/serve_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

struct HostAndPort {
  std::string host{};  // in lower case
  std::optional<std::uint16_t> port{};
  bool is_sound = false;
};

HostAndPort host_and_port(std::string_view text) {
  HostAndPort parts;
  const auto bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts.host = text.substr(0, colon);
  for (char& c : parts.host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  parts.is_sound = !parts.host.empty();
  if (colon == std::string_view::npos) return parts;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_port = error == std::errc() && end == digits.data() + digits.size();
  parts.is_sound = parts.is_sound && is_port;
  parts.port = port;
  return parts;
}

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  constexpr unsigned kLoopbackNet = 127;
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 &&
         (ntohl(address.s_addr) >> 24U) == kLoopbackNet;
}

}  // namespace

Result<ServeAddress> serve_address_of(const std::string& text) {
  if (text.starts_with("unix:/")) return ServeAddress{.listened = text};
  const HostAndPort parts = host_and_port(text);
  if (!parts.is_sound || !parts.port) {
    return command::misuse("--listen: not an address to listen on: " + command::in_quotes(text),
                           "use 127.0.0.1:PORT, [::1]:PORT or unix:/PATH");
  }
  if (!is_loopback(parts.host)) {
    return command::misuse(
        "--listen: other machines could reach " + command::in_quotes(text) + " unencrypted",
        "listen on 127.0.0.1 and use ssh -L 8585:127.0.0.1:8585 HOST, or a reverse proxy with TLS");
  }
  // A name is whatever /etc/hosts says.
  const std::string host = parts.host == "localhost" ? "127.0.0.1" : parts.host;
  return ServeAddress{.listened = host + ":" + std::to_string(*parts.port), .host = host};
}

bool is_own_host(std::string_view header, std::uint16_t port) {
  constexpr std::uint16_t kHttp = 80;  // a browser leaves it out
  const HostAndPort parts = host_and_port(header);
  if (!parts.is_sound || !is_loopback(parts.host)) return false;
  return port == 0 || parts.port.value_or(kHttp) == port;
}

}  // namespace tidemill::app
