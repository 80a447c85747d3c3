// RedisConnection: a connection to one server after the handshake: authenticated, with the database
// selected. It must not be used after a failure or after an exchange that was ended early, because
// replies may still arrive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/call_deadline.h"
#include "tidemill/io/redis/parser.h"
#include "tidemill/io/redis/resolver.h"
#include "tidemill/io/redis/tls.h"
#include "tidemill/io/redis/transport.h"

namespace tidemill::redis {

// The handshake of a connection.
struct Greeting {
  std::string user{};
  HiddenText password{};
  std::uint32_t database = 0;
  std::string name{};           // for CLIENT SETNAME
  bool wants_a_master = false;  // fail on a replica
};

// One thread.
class RedisConnection {
 public:
  RedisConnection(std::string name, Endpoint endpoint, Transport transport)
      : name_(std::move(name)), endpoint_(std::move(endpoint)), transport_(std::move(transport)) {}

  [[nodiscard]] const std::string& name() const { return name_; }  // "redis://127.0.0.1:6379"
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  // Writes and reads at the same time: a server whose reply buffer is full accepts no more
  // commands. The sink may move from a reply; it returns false to end the exchange at once.
  using Sink = std::function<bool(std::size_t index, Reply& reply)>;
  [[nodiscard]] Result<void> exchange(std::string_view bytes, std::size_t count, const Sink& sink,
                                      const CallDeadline& deadline);
  [[nodiscard]] Result<void> greet(const Greeting& greeting, const CallDeadline& deadline);

 private:
  enum class Flow : std::uint8_t { going, done, left };
  [[nodiscard]] Result<void> talk(std::string_view bytes, std::size_t count, const Sink& sink,
                                  const CallDeadline& deadline);
  [[nodiscard]] Result<void> write(std::string_view& bytes);  // as much as possible without waiting
  [[nodiscard]] Result<Flow> receive(std::size_t& received, std::size_t count, const Sink& sink);

  std::string name_;
  Endpoint endpoint_;
  Transport transport_;
  Parser parser_{};
  std::array<char, 16'384> block_{};  // small: hiredis moves the unparsed rest at every kilobyte
};

// Makes connections. One thread.
class Dialer {
 public:
  explicit Dialer(std::optional<Tls> tls) : tls_(std::move(tls)) {}

  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> dial(const Endpoint& endpoint,
                                                              const Greeting& greeting,
                                                              CallDeadline& deadline);

 private:
  [[nodiscard]] std::string name_of(const Endpoint& endpoint) const;

  std::optional<Tls> tls_;
  Resolver resolver_{};
};

}  // namespace tidemill::redis
