// Transport: a connected stream to one server, plain or through TLS. read() and write() never
// block: they do what is possible now, and wait() waits until they can continue. Never raises
// SIGPIPE.
//
// The reasons of failures do not name the server: the caller adds it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/call_deadline.h"
#include "tidemill/io/redis/resolver.h"
#include "tidemill/io/redis/tls.h"

namespace tidemill::redis {

// One server: a host, or a Unix socket.
struct Endpoint {
  Host host{};
  std::string socket{};
  bool operator==(const Endpoint&) const = default;
};

// One thread.
class Transport {
 public:
  // With `tls`, the connection uses TLS and the server has been verified when this returns.
  [[nodiscard]] static Result<Transport> connect(const Endpoint& endpoint, const Tls* tls,
                                                 Resolver& resolver, CallDeadline& deadline);

  // Number of bytes written; 0: none possible now.
  [[nodiscard]] Result<std::size_t> write(std::string_view bytes);
  // Number of bytes read; 0: none available now. The end of the stream is a failure.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into);

  // After a read of `size` bytes into `room`: whether another read may return more at once.
  [[nodiscard]] bool has_more(std::size_t size, std::size_t room) const {
    return tls_ != nullptr ? tls_->has_pending() : size == room;
  }

  // Waits until a read, or with `wants_to_write` also a write, may succeed.
  [[nodiscard]] Result<void> wait(bool wants_to_write, const CallDeadline& deadline) const;

 private:
  explicit Transport(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
  std::unique_ptr<TlsSession> tls_{};  // none: plain
};

}  // namespace tidemill::redis
