// Wire: a connected stream to one server, plain or through TLS, that never waits by itself: read
// and write do what can be done now, and say what to wait for. Not one signal is raised.
//
// Failures have no server in their reason: whoever holds the wire knows its name.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/patience.h"
#include "tidemill/io/redis/resolver.h"
#include "tidemill/io/redis/tls.h"

namespace tidemill::redis {

// One server: a host, or a socket.
struct Endpoint {
  Host host{};
  std::string socket{};
  bool operator==(const Endpoint&) const = default;
};

// One thread.
class Wire {
 public:
  // With a Tls: through it, and the server is who it should be when this returns.
  [[nodiscard]] static Result<Wire> connect(const Endpoint& endpoint, const Tls* tls,
                                            Resolver& resolver, Patience& patience);

  // How many bytes; 0: none now.
  [[nodiscard]] Result<std::size_t> write(std::string_view bytes);
  // How many bytes; 0: none now. The end of the stream is a failure.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into);

  // After a read of `size` bytes into `room`: another may give some more without a wait.
  [[nodiscard]] bool has_more(std::size_t size, std::size_t room) const {
    return tls_ != nullptr ? tls_->has_pending() : size == room;
  }

  // Waits until it is worth trying again what gave 0: to read, and to write if so wished.
  [[nodiscard]] Result<void> wait(bool wants_to_write, const Patience& patience) const;

 private:
  explicit Wire(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
  std::unique_ptr<TlsSession> tls_{};  // none: plain
};

}  // namespace tidemill::redis
