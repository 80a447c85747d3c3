// What a test may do to the stub: /control/*.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdio>

#include "tests/docs/stub/present.h"
#include "tests/docs/stub/stub.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

const Json kDone = {{"ok", true}};

// Not the project's own: a stub that signs with the code that checks finds nothing wrong with it.
std::string hmac_hex(const std::string& key, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  std::string bytes = text;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &length);
  std::string hex;
  for (unsigned i = 0; i < length; ++i) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", static_cast<unsigned>(digest.at(i)));
    hex += two.data();
  }
  return hex;
}

}  // namespace

Checked<Json> Stub::controlled(const std::string& name, const Json& body) {
  if (name == "state") return world_.state();
  if (name == "journal") return world_.journal();
  if (name == "counts") return meter_.counts();
  if (name == "seed") {
    TRY(world_.seed(body));
    meter_.forget();
    chat_ = Chat();
  } else if (name == "edit") {
    TRY(edit(body));
  } else if (name == "anchor") {
    TRY(anchor(body));
  } else if (name == "uncomment") {
    LET(const auto id, needed_uuid(body, "id"));
    if (!world_.remove_comment(id)) return refuse(404);
  } else if (name == "human") {
    TRY(set_human(body));
  } else if (name == "faults") {
    TRY(faults_.set_chance(body));
  } else if (name == "script") {
    TRY(faults_.set_script(body));
  } else if (name == "down") {
    TRY(set_down(body));
  } else {
    return refuse(404, "no such control: " + name);
  }
  return kDone;
}

Checked<void> Stub::edit(const Json& body) {
  LET(const auto id, document_field(body));
  Change change;
  LET(change.title, text_field(body, "title"));
  LET(const auto text, text_field(body, "text"));
  LET(const auto line, text_field(body, "append"));
  LET(const auto collection, uuid_field(body, "collectionId"));
  Document* document = world_.find(id);
  if (document == nullptr) return refuse(404);
  if (text) change.body = document->body.retyped(*text, world_.rows());
  change.is_live = body.value("live", Json()) == true;
  world_.update(*document, change, Who::human);
  if (line) world_.append_line(*document, *line, change.is_live);
  if (collection) world_.move(*document, *collection, "", Who::human);
  if (body.value("delete", Json()) == true) world_.remove(*document);
  return {};
}

Checked<void> Stub::anchor(const Json& body) {
  LET(const auto id, document_field(body));
  LET(const auto words, text_field(body, "text"));
  Document* document = world_.find(id);
  if (document == nullptr) return refuse(404);
  if (!world_.anchor(*document, words.value_or(""))) return refuse(404, "no such words");
  return {};
}

Checked<void> Stub::set_human(const Json& body) {
  LET(const auto every, count_field(body, "every"));
  LET(const auto line, text_field(body, "line"));
  LET(const auto title, text_field(body, "title"));  // they change the title, and no line
  human_title_ = title.value_or("");
  human_every_ = every.value_or(0);
  human_line_ = line.value_or("a human was here");
  infos_ = 0;
  return {};
}

Checked<void> Stub::set_down(const Json& body) {
  LET(const auto for_ms, count_field(body, "for_ms"));
  LET(const auto how, text_field(body, "how"));
  LET(const auto gather, count_field(body, "gather"));
  LET(const auto after, count_field(body, "after"));
  down_until_ = now_ms() + for_ms.value_or(0);
  is_closing_ = how == "close";
  gathering_ = gather.value_or(0);
  gathers_after_ = after.value_or(0);
  stopped_.notify_all();
  return {};
}

Checked<Delivery> Stub::delivery(const std::string& body) {
  const Lock lock(mutex_);
  const Json fields = Json::parse(body, nullptr, false);
  if (!fields.is_object()) return refuse(400, "expected an object");
  LET(const auto event, text_field(fields, "event"));
  LET(const auto id, needed_uuid(fields, "document"));
  LET(const auto chosen, uuid_field(fields, "delivery"));
  LET(const auto t, count_field(fields, "t"));
  LET(const auto secret, text_field(fields, "secret"));
  const std::int64_t now = now_ms();
  const Document* document = world_.find(id);
  Json payload = {{"id", id}};
  if (document != nullptr) payload["model"] = document_json(world_, *document);
  (void)world_.take_shown();  // a webhook is not a read
  Delivery delivery;
  delivery.id = chosen ? *chosen : world_.new_uuid();
  const Json user = user_json();
  delivery.body = Json{{"id", delivery.id},
                       {"actorId", user["id"]},
                       {"webhookSubscriptionId", "3d9c2b1a-4f5e-4d6c-8b7a-0f1e2d3c4b5a"},
                       {"createdAt", date_time(now)},
                       {"event", event.value_or("documents.update")},
                       {"payload", std::move(payload)}}
                      .dump();
  const std::string time = std::to_string(t.value_or(now));
  const std::string key = secret.value_or(options_.webhook_secret);
  delivery.signature = "t=" + time + ",s=" + hmac_hex(key, time + "." + delivery.body);
  return delivery;
}

}  // namespace tidemill::docs_stub
