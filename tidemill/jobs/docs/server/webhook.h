// Webhook: receives Outline's notifications that a document has changed. They are signed:
//
//   Outline-Signature: t=<milliseconds since 1970>,s=<hex of HMAC-SHA256(secret, "<t>.<body>")>
//   {"id": "<delivery>", "event": "documents.update", "payload": {"id": "<document>", …}, …}
//
// An event is accepted if it is signed, fresh, new and about a document. It is in the journal
// before it is answered. A delivery that was accepted before is answered 200 and ignored (also
// after a restart: the journal has its id). An event that cannot be stored is answered 503. Outline
// does not repeat events, so the sweep finds what was refused or sent while we were not listening.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/http/secret.h"
#include "tidemill/io/web/listener.h"

namespace tidemill::docs {

struct WebhookEvent {
  std::string delivery{};  // a uuid: the event's own id
  std::string name{};      // "documents.update"
  std::string document{};  // a uuid
};

enum class WebhookReading : std::uint8_t {
  accepted,
  uninteresting,  // signed and fresh, but not about the text of a document: answered 200
  not_signed,     // no signature, or a malformed one: 401
  forged,         // the signature does not match the body: 401
  stale,          // older than `tolerance`, or further in the future: 401
  garbled,        // signed, but not an event: 400
};

struct Received {
  WebhookReading reading = WebhookReading::not_signed;
  WebhookEvent event{};  // of `accepted`
};

// Pure.
[[nodiscard]] Received read_event(const web::Incoming& incoming, const http::Secret& secret,
                                  WallTime now, std::chrono::milliseconds tolerance);

enum class KeptDelivery : std::uint8_t { kept, known };

struct WebhookOptions {
  std::string address{};
  http::Secret secret{};
  std::chrono::milliseconds tolerance = std::chrono::minutes(5);
};

struct WebhookCounts {
  std::uint64_t accepted = 0;
  std::uint64_t known = 0;
  std::uint64_t refused = 0;  // unsigned, forged, stale, garbled
  std::uint64_t failed = 0;   // could not be stored: 503
};

// Thread-safe.
class Webhook {
 public:
  // Stores an event: durable when it returns. Called by several threads. The answer waits for
  // nothing else.
  using Keep = std::function<Result<KeptDelivery>(const WebhookEvent&)>;

  // Fails with step "listen" and give_up without a secret, and like web::Listener.
  [[nodiscard]] static Result<std::unique_ptr<Webhook>> start(const WebhookOptions& options,
                                                              const Clock& clock, Keep keep);
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  ~Webhook();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] WebhookCounts counts() const;

 private:
  struct State;

  explicit Webhook(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tidemill::docs
