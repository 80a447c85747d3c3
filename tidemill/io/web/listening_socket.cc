#include "tidemill/io/web/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::web {
namespace {

struct FreeNames {
  void operator()(addrinfo* names) const { freeaddrinfo(names); }
};
using Names = std::unique_ptr<addrinfo, FreeNames>;

struct Place {
  std::string host{};
  std::string port{};
};

std::unexpected<Failure> refuse(const std::string& address, const std::string& why) {
  return fail(Cure::give_up, "listen", address + ": " + why);
}

std::string text_of_error(int number) { return std::system_category().message(number); }

std::optional<Place> place_of(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.contains(':')) {
    return std::nullopt;  // ambiguous: an IPv6 address without brackets
  }
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (host.empty() || error != std::errc() || end != port.data() + port.size()) {
    return std::nullopt;
  }
  return Place{.host = std::string(host), .port = std::string(port)};
}

Result<Names> names_of(const std::string& address, const Place& place) {
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(place.host.c_str(), place.port.c_str(), &wish, &found);
  if (error != 0) return refuse(address, gai_strerror(error));
  return Names(found);
}

// Nothing on failure, with errno set.
std::optional<Descriptor> try_one(const addrinfo& name) {
  Descriptor socket(
      ::socket(name.ai_family, name.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, name.ai_protocol));
  if (!socket.is_open()) return std::nullopt;
  // A restarted server can bind its port while old connections are in TIME_WAIT.
  const int yes = 1;
  (void)setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(socket.number(), name.ai_addr, name.ai_addrlen) != 0 ||
      listen(socket.number(), SOMAXCONN) != 0) {
    return std::nullopt;
  }
  return socket;
}

}  // namespace

Result<ListeningSocket> listen_on(const std::string& address) {
  static constexpr std::string_view kUnix = "unix:";
  if (address.starts_with("unix:/")) {  // unix:80 is a port of a host with that name
    UnixName own;
    LET(Descriptor socket, own.listen_at(std::string_view(address).substr(kUnix.size())));
    return ListeningSocket{.socket = std::move(socket), .name = std::move(own)};
  }
  const auto place = place_of(address);
  if (!place) return refuse(address, "not an address; use host:port, [::1]:port or unix:/path");
  LET(const Names names, names_of(address, *place));
  int error = 0;
  for (const addrinfo* name = names.get(); name != nullptr; name = name->ai_next) {
    if (auto socket = try_one(*name)) return ListeningSocket{.socket = *std::move(socket)};
    error = errno;
  }
  return refuse(address, text_of_error(error));
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): that is how sockets have it
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  if (name.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port);
  }
  if (name.ss_family != AF_INET) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
}

}  // namespace tidemill::web
