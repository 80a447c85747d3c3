// Tls: the TLS configuration of a client, created once. TlsSession: one TLS connection over a
// non-blocking descriptor. Requires TLS 1.2 or newer; the server's certificate must be signed by a
// trusted authority and match the server's name or address.
//
// A certificate that is rejected, by us or by the server, is Cure::give_up: retrying does not help.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/call_deadline.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tidemill::redis {

struct TlsOptions;

struct TlsEnd {
  void operator()(ssl_ctx_st* context) const;
  void operator()(ssl_st* session) const;
};

// Immutable.
class Tls {
 public:
  [[nodiscard]] static Result<Tls> make(const TlsOptions& options);

 private:
  friend class TlsSession;
  std::unique_ptr<ssl_ctx_st, TlsEnd> context_;
  std::string name_;  // expected in the certificate; empty: the host
};

// One thread.
class TlsSession {
 public:
  // Performs the handshake. The caller keeps the descriptor, which must outlive the session.
  [[nodiscard]] static Result<std::unique_ptr<TlsSession>> open(const Tls& tls, int descriptor,
                                                                const std::string& host,
                                                                const CallDeadline& deadline);

  // As in Transport.
  [[nodiscard]] Result<std::size_t> write(std::string_view bytes);
  [[nodiscard]] Result<std::size_t> read(std::span<char> into);
  [[nodiscard]] bool has_pending() const;  // decrypted or buffered, but not returned yet
  // The events for poll(). A TLS read may have to write first, and a write to read.
  [[nodiscard]] short events(bool wants_to_write) const;

 private:
  [[nodiscard]] Result<void> shake_hands(int descriptor, const CallDeadline& deadline);
  // Returns 0 and sets the events to wait for, or the failure.
  [[nodiscard]] Result<std::size_t> not_now(int answer, short& events);

  std::unique_ptr<ssl_st, TlsEnd> session_;
  short read_events_ = 0;
  short write_events_ = 0;
};

}  // namespace tidemill::redis
