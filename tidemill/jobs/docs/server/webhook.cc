#include "tidemill/jobs/docs/server/webhook.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/io/hash/hmac.h"
#include "tidemill/io/hash/uuid.h"

namespace tidemill::docs {
namespace {

using std::chrono::milliseconds;

// An event contains the complete document, as text and as a tree: several times 1.5 MB.
constexpr Bytes kMostBody = mib(16);
constexpr Bytes kMostHeld = mib(64);

struct Signature {
  std::string_view time{};  // as written, because that is what is signed
  std::string_view code{};
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// "t=…,s=…" in any order, each once and not empty. Other fields are ignored, for later versions.
std::optional<Signature> signature_of(std::string_view header) {
  Signature found;
  while (!header.empty()) {
    const auto comma = std::min(header.find(','), header.size());
    const std::string_view part = trimmed(header.substr(0, comma));
    header.remove_prefix(std::min(comma + 1, header.size()));
    if (!part.starts_with("t=") && !part.starts_with("s=")) continue;
    std::string_view& place = part.front() == 't' ? found.time : found.code;
    if (!place.empty() || part.size() == 2) return std::nullopt;
    place = part.substr(2);
  }
  if (found.time.empty() || found.code.empty()) return std::nullopt;
  return found;
}

// The signature header; two of them count as none.
std::optional<Signature> signature_of(const web::Incoming& incoming) {
  const std::string* header = nullptr;
  for (const auto& [name, value] : incoming.headers) {
    if (name != "outline-signature") continue;
    if (header != nullptr) return std::nullopt;
    header = &value;
  }
  if (header == nullptr) return std::nullopt;
  return signature_of(std::string_view(*header));
}

std::optional<milliseconds> time_of(std::string_view digits) {
  static constexpr std::size_t kMostDigits = 15;  // the year 33658
  std::int64_t count = 0;
  const char* end = digits.data() + digits.size();
  if (digits.size() > kMostDigits || digits.front() == '-') return std::nullopt;
  const auto [read, error] = std::from_chars(digits.data(), end, count);
  if (error != std::errc() || read != end) return std::nullopt;
  return milliseconds(count);
}

bool is_forged(const Signature& signature, const std::string& body, const http::Secret& secret) {
  std::string text;
  text.reserve(signature.time.size() + 1 + body.size());
  text += signature.time;
  text += '.';
  text += body;
  const std::string code = hash::hmac_sha256(secret.reveal(), text);
  return code.empty() || !hash::equal_in_constant_time(signature.code, code);
}

// Events that may have put a command into a document, or a document with commands into a collection
// that we watch. The text is not taken from the event, but read from the server.
bool is_interesting(std::string_view event) {
  static constexpr std::array<std::string_view, 7> kEvents = {
      "documents.create",    "documents.publish", "documents.update", "documents.move",
      "documents.unarchive", "documents.restore", "revisions.create"};
  return std::ranges::find(kEvents, event) != kEvents.end();
}

Received event_of(std::string_view body) {
  const auto json = jsonl::Json::parse(body);
  if (!json || !(*json)["event"].is_text()) return {.reading = WebhookReading::garbled};
  const jsonl::Json& payload = (*json)["payload"];
  WebhookEvent event{.delivery = (*json)["id"].text(), .name = (*json)["event"].text()};
  if (!is_interesting(event.name)) return {.reading = WebhookReading::uninteresting};
  event.document = event.name == "revisions.create" ? payload["model"]["documentId"].text()
                                                    : payload["id"].text();
  if (!hash::is_uuid(event.delivery) || !hash::is_uuid(event.document)) {
    return {.reading = WebhookReading::garbled};
  }
  return {.reading = WebhookReading::accepted, .event = std::move(event)};
}

web::WebReply refusal_of(WebhookReading reading) {
  switch (reading) {
    case WebhookReading::stale:
      return {.status = 401, .body = "too old or in the future; check the clocks\n"};
    case WebhookReading::not_signed:
      return {.status = 401, .body = "not signed\n"};
    case WebhookReading::forged:
      return {.status = 401, .body = "the signature does not match\n"};
    case WebhookReading::garbled:
      return {.status = 400, .body = "not an event\n"};
    case WebhookReading::accepted:
    case WebhookReading::uninteresting:
      break;
  }
  return {};
}

}  // namespace

Received read_event(const web::Incoming& incoming, const http::Secret& secret, WallTime now,
                    milliseconds tolerance) {
  const auto signature = signature_of(incoming);
  const auto time = signature ? time_of(signature->time) : std::nullopt;
  if (!time || secret.is_empty()) return {.reading = WebhookReading::not_signed};
  if (is_forged(*signature, incoming.body, secret)) return {.reading = WebhookReading::forged};
  const auto age = std::chrono::floor<milliseconds>(now.time_since_epoch()) - *time;
  if (age > tolerance || -age > tolerance) return {.reading = WebhookReading::stale};
  return event_of(incoming.body);
}

struct Webhook::State {
  State(WebhookOptions wanted, const Clock& passed, Keep asked)
      : options(std::move(wanted)), clock(passed), keep(std::move(asked)) {}

  web::WebReply answer(const web::Incoming& incoming);
  web::WebReply kept(const WebhookEvent& event);

  const WebhookOptions options;
  const Clock& clock;
  const Keep keep;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> known = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::unique_ptr<web::Listener> listener;  // destroyed first: its threads use everything above
};

web::WebReply Webhook::State::answer(const web::Incoming& incoming) {
  if (incoming.method != "POST") {
    return {.status = 405, .body = "use POST\n", .allow = "POST"};
  }
  const auto received = read_event(incoming, options.secret, clock.wall(), options.tolerance);
  if (received.reading == WebhookReading::accepted) return kept(received.event);
  if (received.reading == WebhookReading::uninteresting) return {};
  refused += 1;
  return refusal_of(received.reading);
}

web::WebReply Webhook::State::kept(const WebhookEvent& event) {
  const auto done = keep(event);
  if (!done) {
    failed += 1;
    return {.status = 503, .body = "temporarily unavailable\n"};  // do not disclose the reason
  }
  (*done == KeptDelivery::kept ? accepted : known) += 1;
  return {};
}

Webhook::Webhook(std::unique_ptr<State> state) : state_(std::move(state)) {}

Webhook::~Webhook() = default;

Result<std::unique_ptr<Webhook>> Webhook::start(const WebhookOptions& options, const Clock& clock,
                                                Keep keep) {
  if (options.secret.is_empty()) {
    return fail(Cure::give_up, "listen", "webhooks need their signing secret");
  }
  auto state = std::make_unique<State>(options, clock, std::move(keep));
  LET(state->listener,
      web::Listener::start(
          {.address = options.address, .most_body = kMostBody, .most_held = kMostHeld},
          [all = state.get()](const web::Incoming& incoming) { return all->answer(incoming); }));
  return std::unique_ptr<Webhook>(new Webhook(std::move(state)));
}

std::uint16_t Webhook::port() const { return state_->listener->port(); }

WebhookCounts Webhook::counts() const {
  return {.accepted = state_->accepted,
          .known = state_->known,
          .refused = state_->refused,
          .failed = state_->failed};
}

}  // namespace tidemill::docs
