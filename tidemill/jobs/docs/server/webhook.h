// Webhooks: Outline tells us that a document has changed. What it sends is signed:
//
//   Outline-Signature: t=<milliseconds since 1970>,s=<hex of HMAC-SHA256(secret, "<t>.<body>")>
//   {"id": "<delivery>", "event": "documents.update", "payload": {"id": "<document>", …}, …}
//
// Accepted is what is signed, fresh, new and about a document. An event that was accepted is in the
// journal before it is answered; a delivery that was accepted before is answered 200 and forgotten,
// for it is known (also after a restart: the journal has its id). What we cannot keep is answered
// 503. Outline sends no event twice, so what was refused, or sent while nobody listened, is found
// by polling.
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

struct Event {
  std::string delivery{};  // a uuid: the event's own id
  std::string name{};      // "documents.update"
  std::string document{};  // a uuid
};

enum class Reading : std::uint8_t {
  accepted,
  uninteresting,  // signed and fresh, but not about the text of a document: answered 200
  not_signed,     // no signature, or one that is none: 401
  forged,         // the signature is not the body's: 401
  stale,          // older than `tolerance`, or from the future by more: 401
  garbled,        // signed, and no event: 400
};

struct Received {
  Reading reading = Reading::not_signed;
  Event event{};  // of `accepted`
};

// Pure.
[[nodiscard]] Received read_event(const web::Incoming& incoming, const http::Secret& secret,
                                  WallTime now, std::chrono::milliseconds tolerance);

enum class Kept : std::uint8_t { kept, known };

struct WebhookOptions {
  std::string address{};
  http::Secret secret{};
  std::chrono::milliseconds tolerance = std::chrono::minutes(5);
};

struct WebhookCounts {
  std::uint64_t accepted = 0;
  std::uint64_t known = 0;
  std::uint64_t refused = 0;  // unsigned, forged, stale, garbled
  std::uint64_t failed = 0;   // could not be kept: 503
};

// Thread-safe.
class Webhook {
 public:
  // Durable when it returns; called by several threads.
  // It is all that an answer waits for.
  using Keep = std::function<Result<Kept>(const Event&)>;

  // Failure, step "listen", give_up: no secret, or as a Listener's.
  [[nodiscard]] static Result<std::unique_ptr<Webhook>> start(const WebhookOptions& options,
                                                              const Clock& clock, Keep keep);
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  ~Webhook();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] WebhookCounts counts() const;

 private:
  struct Parts;

  explicit Webhook(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tidemill::docs
