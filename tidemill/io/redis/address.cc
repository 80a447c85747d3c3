#include "tidemill/io/redis/address.h"

#include <sys/un.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tidemill/base/hex.h"
#include "tidemill/base/try.h"
#include "tidemill/io/redis/number_of.h"

namespace tidemill::redis {
namespace {

constexpr std::uint16_t kPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::size_t kLongestName = 255;

// A failure never shows the URL: the password may be anywhere in it.
std::unexpected<Failure> refuse(std::string_view what, std::string hint = "") {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = "Redis URL: " + std::string(what),
                                 .hint = std::move(hint)});
}

struct Scheme {
  std::string_view name;
  Topology topology = Topology::single;
  bool has_tls = false;
  bool is_socket = false;
};

constexpr std::array kSchemes = {
    Scheme{.name = "redis"},
    Scheme{.name = "rediss", .has_tls = true},
    Scheme{.name = "unix", .is_socket = true},
    Scheme{.name = "redis+sentinel", .topology = Topology::sentinel},
    Scheme{.name = "rediss+sentinel", .topology = Topology::sentinel, .has_tls = true},
    Scheme{.name = "redis+cluster", .topology = Topology::cluster},
    Scheme{.name = "rediss+cluster", .topology = Topology::cluster, .has_tls = true},
};

// Nothing for a percent sign without two hex digits, and for a NUL, which no part may contain.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = hex_value(text[i + 1]);
      const auto low = hex_value(text[i + 2]);
      if (!high || !low) return std::nullopt;
      c = static_cast<char>(*high * 16 + *low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    plain += c;
  }
  return plain;
}

std::string encoded(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || also_plain.contains(c);
    if (is_plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f' &&
           !std::string_view("/@,?#[]\\").contains(c);
  });
}

Result<Host> parse_host(std::string_view text, std::uint16_t default_port) {
  Host host{.port = default_port};
  std::string_view name = text.substr(0, text.find(':'));
  std::string_view rest = text.substr(name.size());
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos)
      return refuse("missing ']'", "write an IPv6 address in brackets: [::1]:6379");
    name = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    if (!name.contains(':'))
      return refuse("brackets are only for IPv6 addresses", "remove the brackets");
  } else if (std::ranges::count(text, ':') > 1) {
    return refuse("the host has several colons", "write an IPv6 address in brackets: [::1]:6379");
  }
  const auto plain = decoded(name);
  if (!plain || !is_host_name(*plain)) return refuse("missing or invalid host name");
  host.name = *plain;
  if (rest.empty()) return host;
  const auto port = number_of<std::uint16_t>(rest.substr(1));
  if (!rest.starts_with(':') || !port || *port == 0) {
    return refuse("the port is not a number from 1 to 65535");
  }
  host.port = *port;
  return host;
}

Result<void> parse_hosts(std::string_view text, RedisAddress& address) {
  const bool asks_sentinels = address.topology == Topology::sentinel;
  while (true) {
    const std::size_t comma = text.find(',');
    LET(auto host, parse_host(text.substr(0, comma), asks_sentinels ? kSentinelPort : kPort));
    address.hosts.push_back(std::move(host));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (address.topology == Topology::single && address.hosts.size() > 1) {
    return refuse("several hosts", "use redis+sentinel:// or redis+cluster://");
  }
  return {};
}

Result<void> parse_user(std::string_view text, Origin origin, RedisAddress& address) {
  const std::size_t colon = text.find(':');
  const auto user = decoded(text.substr(0, colon));
  const auto password = decoded(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!user || !password) return refuse("invalid percent-encoding in the user or the password");
  if (!password->empty() && origin == Origin::command_line) {
    return refuse("a password on the command line is visible to all users of this machine",
                  "put it into the environment or into a file that only you can read");
  }
  address.user = *user;
  address.password = HiddenText(*password);
  return {};
}

Result<void> parse_database(std::string_view text, RedisAddress& address) {
  const auto number = number_of<std::uint32_t>(text);
  if (!number) return refuse("the database is not a number");
  if (*number != 0 && address.topology == Topology::cluster) {
    return refuse("a cluster has only database 0");
  }
  address.database = *number;
  return {};
}

// After the hosts: "[/DB]", with sentinels "/MASTER[/DB]".
Result<void> parse_path(std::string_view path, RedisAddress& address) {
  if (address.topology == Topology::sentinel) {
    const std::string_view name = path.substr(0, path.find('/'));
    const auto master = decoded(name);
    if (!master || master->empty()) {
      return refuse("the name of the master is missing", "use redis+sentinel://HOST:PORT/MASTER");
    }
    address.master = *master;
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  if (path.empty()) return {};
  return parse_database(path, address);
}

// "/PATH[?db=N]"
Result<void> parse_socket(std::string_view text, RedisAddress& address) {
  const std::size_t mark = text.find('?');
  const auto path = decoded(text.substr(0, mark));
  if (!path || !path->starts_with('/')) {
    return refuse("the path of a socket must be absolute", "use unix:///run/redis/redis.sock");
  }
  if (path->size() >= sizeof(sockaddr_un::sun_path)) {
    return refuse("the path of a socket is longer than 107 bytes");
  }
  address.socket = *path;
  if (mark == std::string_view::npos) return {};
  if (!text.substr(mark + 1).starts_with("db="))
    return refuse("unknown setting after '?'", "use ?db=N");
  return parse_database(text.substr(mark + 4), address);
}

}  // namespace

Result<RedisAddress> parse_address(std::string_view url, Origin origin) {
  const std::size_t colon = url.find("://");
  const auto* const scheme = std::ranges::find(kSchemes, url.substr(0, colon), &Scheme::name);
  if (colon == std::string_view::npos || scheme == kSchemes.end()) {
    return refuse("unknown scheme",
                  "use redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://");
  }
  RedisAddress address{.topology = scheme->topology, .has_tls = scheme->has_tls};
  const std::string_view rest = url.substr(colon + 3);
  if (rest.contains('#')) return refuse("'#' is not allowed", "write it as %23");
  if (scheme->is_socket) {
    TRY(parse_socket(rest, address));
    return address;
  }
  if (rest.contains('?'))
    return refuse("settings after '?' are not supported", "use the flags --tls-* for TLS");
  const std::size_t slash = rest.find('/');
  std::string_view hosts = rest.substr(0, slash);
  if (const std::size_t at = hosts.rfind('@'); at != std::string_view::npos) {
    TRY(parse_user(hosts.substr(0, at), origin, address));
    hosts.remove_prefix(at + 1);
  }
  TRY(parse_hosts(hosts, address));
  TRY(parse_path(slash == std::string_view::npos ? "" : rest.substr(slash + 1), address));
  return address;
}

std::string text_of(const RedisAddress& address) {
  if (!address.socket.empty()) {
    const std::string text = "unix://" + encoded(address.socket, "/-._~+,@:");
    return address.database == 0 ? text : text + "?db=" + std::to_string(address.database);
  }
  std::string text = address.has_tls ? "rediss" : "redis";
  if (address.topology == Topology::sentinel) text += "+sentinel";
  if (address.topology == Topology::cluster) text += "+cluster";
  text += "://";
  if (!address.user.empty()) text += encoded(address.user, "-._~") + "@";
  std::string_view between = "";
  for (const Host& host : address.hosts) {
    text += between;
    const std::string name = encoded(host.name, "-._~:");
    text += host.name.contains(':') ? "[" + name + "]" : name;
    text += ":" + std::to_string(host.port);
    between = ",";
  }
  if (address.topology == Topology::sentinel) text += "/" + encoded(address.master, "-._~");
  if (address.database != 0) text += "/" + std::to_string(address.database);
  return text;
}

}  // namespace tidemill::redis
