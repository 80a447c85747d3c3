// Address: where a Redis is and how it is reached, from a URL.
//
//   redis://[USER@]HOST[:PORT][/DB]              one server
//   rediss://…                                   the same through TLS
//   unix:///PATH[?db=N]                          a socket in the file system
//   redis+sentinel://HOST[:PORT],…/MASTER[/DB]   asks these sentinels who is the master
//   redis+cluster://HOST[:PORT],…                learns the slots from these nodes
//   rediss+sentinel://… and rediss+cluster://…   the same through TLS, to all of them
//
// HOST may be [::1]. Parts may be percent-encoded. TLS settings are no part of the URL.
//
// A password in a URL is for places that other people cannot read: a command line is none, and who
// parses one says so; then a password in it is refused (kind usage), with a hint where to put it.
// Nothing here prints a password: text_of() leaves it out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::redis {

// Text that must not be seen: it cannot be printed by accident, only by asking for it.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return text_; }
  bool operator==(const Secret&) const = default;

 private:
  std::string text_;
};

enum class Topology : std::uint8_t { single, sentinel, cluster };

struct Host {
  std::string name{};
  std::uint16_t port = 6379;
  bool operator==(const Host&) const = default;
};

struct Address {
  Topology topology = Topology::single;
  bool has_tls = false;
  std::vector<Host> hosts{};  // one, or the sentinels, or some nodes of the cluster
  std::string socket{};       // instead of hosts
  std::string master{};       // of sentinels
  std::uint32_t database = 0;
  std::string user{};
  Secret password{};

  bool operator==(const Address&) const = default;
};

enum class Origin : std::uint8_t { command_line, hidden };  // hidden: environment, file

[[nodiscard]] Result<Address> parse_address(std::string_view url, Origin origin);

// The URL again, without its password.
[[nodiscard]] std::string text_of(const Address& address);

// The CRC16 slot of a key, by its hash tag if it has one.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

}  // namespace tidemill::redis
