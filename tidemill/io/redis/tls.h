// Tls: what a client needs to speak TLS, made once; TlsSession: one conversation, over a descriptor
// that does not wait. At least TLS 1.2; the server's certificate must be signed by a known
// authority and carry the server's name or address.
//
// A certificate that is not accepted, by us or by the server, is Cure::give_up: it will not get
// better by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/patience.h"

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
  std::string name_;  // instead of the host's
};

// One thread.
class TlsSession {
 public:
  // Shakes hands. The descriptor stays the caller's and must outlive the session.
  [[nodiscard]] static Result<std::unique_ptr<TlsSession>> open(const Tls& tls, int descriptor,
                                                                const std::string& host,
                                                                const Patience& patience);

  // As those of Wire.
  [[nodiscard]] Result<std::size_t> write(std::string_view bytes);
  [[nodiscard]] Result<std::size_t> read(std::span<char> into);
  [[nodiscard]] bool has_pending() const;  // read already, and not given out
  // What poll() must wait for. A read may have to send something first, and the other way round.
  [[nodiscard]] short events(bool wants_to_write) const;

 private:
  [[nodiscard]] Result<void> shake_hands(int descriptor, const Patience& patience);
  // 0 bytes, and the events are noted, or the failure.
  [[nodiscard]] Result<std::size_t> not_now(int answer, short& events);

  std::unique_ptr<ssl_st, TlsEnd> session_;
  short read_events_ = 0;
  short write_events_ = 0;
};

}  // namespace tidemill::redis
