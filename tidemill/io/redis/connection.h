// Connection: one server that has greeted us: who we are is settled, the database is chosen. After
// a failure, and after an exchange that was left early, it is of no use: replies may still be on
// their way.
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
#include "tidemill/io/redis/parser.h"
#include "tidemill/io/redis/patience.h"
#include "tidemill/io/redis/resolver.h"
#include "tidemill/io/redis/tls.h"
#include "tidemill/io/redis/wire.h"

namespace tidemill::redis {

// What we say first.
struct Greeting {
  std::string user{};
  Secret password{};
  std::uint32_t database = 0;
  std::string name{};           // of ours
  bool wants_a_master = false;  // a replica is a failure
};

// One thread.
class Connection {
 public:
  Connection(std::string name, Endpoint endpoint, Wire wire)
      : name_(std::move(name)), endpoint_(std::move(endpoint)), wire_(std::move(wire)) {}

  [[nodiscard]] const std::string& name() const { return name_; }  // "redis://127.0.0.1:6379"
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  // Writes, and reads while it writes: a server that is full of replies takes no more commands.
  // The sink may take from a reply; false from it: leave at once.
  using Sink = std::function<bool(std::size_t index, Reply& reply)>;
  [[nodiscard]] Result<void> exchange(std::string_view bytes, std::size_t count, const Sink& sink,
                                      const Patience& patience);
  [[nodiscard]] Result<void> greet(const Greeting& greeting, const Patience& patience);

 private:
  enum class Flow : std::uint8_t { going, done, left };
  [[nodiscard]] Result<void> talk(std::string_view bytes, std::size_t count, const Sink& sink,
                                  const Patience& patience);
  [[nodiscard]] Result<void> write(std::string_view& bytes);  // what goes out now
  [[nodiscard]] Result<Flow> hear(std::size_t& heard, std::size_t count, const Sink& sink);

  std::string name_;
  Endpoint endpoint_;
  Wire wire_;
  Parser parser_{};
  std::array<char, 16'384> block_{};  // hiredis moves what is left of it at every kilobyte
};

// Makes connections. One thread.
class Dialer {
 public:
  explicit Dialer(std::optional<Tls> tls) : tls_(std::move(tls)) {}

  [[nodiscard]] Result<std::unique_ptr<Connection>> dial(const Endpoint& endpoint,
                                                         const Greeting& greeting,
                                                         Patience& patience);

 private:
  [[nodiscard]] std::string name_of(const Endpoint& endpoint) const;

  std::optional<Tls> tls_;
  Resolver resolver_{};
};

}  // namespace tidemill::redis
