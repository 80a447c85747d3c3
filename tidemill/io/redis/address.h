// RedisAddress: the location of a Redis server and the way to reach it, parsed from a URL.
//
//   redis://[USER@]HOST[:PORT][/DB]              one server
//   rediss://…                                   the same through TLS
//   unix:///PATH[?db=N]                          a socket in the file system
//   redis+sentinel://HOST[:PORT],…/MASTER[/DB]   asks these sentinels for the master
//   redis+cluster://HOST[:PORT],…                gets the slots from these nodes
//   rediss+sentinel://… and rediss+cluster://…   the same through TLS, to all of them
//
// HOST may be [::1]. Parts may be percent-encoded. TLS settings are not part of the URL.
//
// A password in a URL is only for places that other users cannot read. A command line is not such a
// place: with Origin::command_line a password is refused (kind usage), with a hint where to put it.
// Nothing here prints a password: text_of() omits it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::redis {

// Secret text: it cannot be printed by accident, only through reveal().
class HiddenText {
 public:
  HiddenText() = default;
  explicit HiddenText(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return text_; }
  bool operator==(const HiddenText&) const = default;

 private:
  std::string text_;
};

enum class Topology : std::uint8_t { single, sentinel, cluster };

struct Host {
  std::string name{};
  std::uint16_t port = 6379;
  bool operator==(const Host&) const = default;
};

struct RedisAddress {
  Topology topology = Topology::single;
  bool has_tls = false;
  std::vector<Host> hosts{};  // one server, the sentinels, or some nodes of the cluster
  std::string socket{};       // instead of hosts
  std::string master{};       // name of the master, with sentinels
  std::uint32_t database = 0;
  std::string user{};
  HiddenText password{};

  bool operator==(const RedisAddress&) const = default;
};

enum class Origin : std::uint8_t { command_line, hidden };  // hidden: environment, file

[[nodiscard]] Result<RedisAddress> parse_address(std::string_view url, Origin origin);

// The URL, without the password.
[[nodiscard]] std::string text_of(const RedisAddress& address);

// The CRC16 cluster slot of a key, or of its hash tag if it has one.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

}  // namespace tidemill::redis
