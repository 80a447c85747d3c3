#include <memory>
#include <string>
#include <utility>
#ifdef TIDEMILL_PLANT
#include <cstdlib>
#include <random>
#endif

#include "tidemill/base/try.h"
#include "tidemill/hash/uuid.h"
#include "tidemill/jobs/docs/caller.h"
#include "tidemill/jobs/docs/outline_json.h"
#include "tidemill/jobs/docs/wire.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;

constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr std::string_view kForbidden =
    "Outline also says so of a document or collection that is in the trash or was never there";
constexpr std::size_t kPage = 100;
constexpr std::size_t kMostCollections = 1'000;

#ifdef TIDEMILL_PLANT  // faults on purpose, see tests/faults
bool is_planted(std::string_view fault) {
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  return plant != nullptr && plant == fault;
}

std::string random_uuid() {
  std::random_device chance;
  return hash::uuid5("", std::to_string(chance()) + "." + std::to_string(chance()));
}

std::string without_last_revision(const std::string& body) {
  const auto at = body.rfind(",\"lastRevision\"");
  return body.substr(0, at) + "}";
}
#endif

// One thread.
class OutlineWire final : public Outline {
 public:
  explicit OutlineWire(Caller caller) : caller_(std::move(caller)) {}

  Result<void> begin(const std::string& endpoint) override { return caller_.begin(endpoint); }

  Result<std::string> who() override {
    LET(const Json data, ask("auth.info", ""));  // the description knows no body here
    return checked("auth.info", user_of(data));
  }

  Result<std::vector<Collection>> collections() override {
    std::vector<Collection> all;
    for (std::size_t offset = 0; offset < kMostCollections; offset += kPage) {
      LET(const Json data, ask("collections.list", page_body(offset, kPage)));
      LET(auto page, checked("collections.list", collections_of(data)));
      for (ListedCollection& listed : page) {
        if (!listed.is_gone) all.push_back(std::move(listed.collection));
      }
      if (page.size() < kPage) break;
    }
    if (all.size() > kMostCollections) all.resize(kMostCollections);
    return all;
  }

  Result<std::vector<Document>> list(const Listing& listing) override {
    LET(const Json data, ask("documents.list", list_body(listing)));
    return checked("documents.list", documents_of(data));
  }

  Result<std::vector<Hit>> search(const std::string& query, std::size_t limit) override {
    LET(const Json data, ask("documents.search", search_body(query, limit)));
    return checked("documents.search", hits_of(data));
  }

  Result<std::optional<Document>> document(const std::string& id) override {
    LET(const auto response, post("documents.info", id_body(id), {kNotFound}));
    if (response.status == kNotFound) return std::nullopt;
    return one_document("documents.info", response, id);
  }

  Result<std::optional<Document>> update(const std::string& id, const Edit& edit) override {
    constexpr std::string_view kEndpoint = "documents.update";
    if (edit.text && characters_in(*edit.text) > kMostCharacters) {
      return caller_.refuse(Cure::give_up, kEndpoint,
                            "document " + id + " would be longer than the 1,536,000 characters " +
                                "Outline allows; nothing was sent");
    }
    std::string body = update_body(id, edit);
#ifdef TIDEMILL_PLANT
    if (is_planted("no-last-revision")) body = without_last_revision(body);
#endif
    LET(const auto response, post(kEndpoint, std::move(body), {kConflict}));
    if (response.status == kConflict) return std::nullopt;
    return one_document(kEndpoint, response, id);
  }

  Result<void> move(const std::string& id, const std::string& collection) override {
    TRY(check_uuid("documents.move", collection));
    LET(const Json data, ask("documents.move", move_body(id, collection)));
    if (!data.is_object()) return off_description("documents.move", "data is no object");
    return {};
  }

  Result<bool> has_comment(const std::string& id) override {
    constexpr std::string_view kEndpoint = "comments.info";
#ifdef TIDEMILL_PLANT
    if (is_planted("random-comment-ids")) return false;
#endif
    TRY(check_uuid(kEndpoint, id));
    LET(const auto response, post(kEndpoint, id_body(id), {kNotFound}));
    if (response.status == kNotFound) return false;
    LET(const Json data, checked(kEndpoint, data_of(response.body)));
    TRY(checked(kEndpoint, id_of(data, id)));
    return true;
  }

  Result<void> comment(const std::string& id, const std::string& document,
                       const std::string& text) override {
    constexpr std::string_view kEndpoint = "comments.create";
#ifdef TIDEMILL_PLANT
    const std::string own = is_planted("random-comment-ids") ? random_uuid() : id;
#else
    const std::string& own = id;
#endif
    TRY(check_uuid(kEndpoint, own));
    TRY(check_uuid(kEndpoint, document));
    LET(const Json data, ask(kEndpoint, comment_body(own, document, text)));
    TRY(checked(kEndpoint, id_of(data, own)));
    return {};
  }

 private:
  Result<http::Response> post(std::string_view endpoint, std::string body,
                              std::initializer_list<int> welcome = {}) {
    return caller_.call(endpoint, "/api/" + std::string(endpoint), std::move(body), welcome);
  }

  Result<Json> ask(std::string_view endpoint, std::string body) {
    LET(const auto response, post(endpoint, std::move(body)));
    return checked(endpoint, data_of(response.body));
  }

  // An answer about another document must not be taken for this one: its text would be written
  // back here. Who asked by another name than the uuid cannot be checked.
  Result<std::optional<Document>> one_document(std::string_view endpoint,
                                               const http::Response& response,
                                               const std::string& id) const {
    LET(const Json data, checked(endpoint, data_of(response.body)));
    if (hash::is_uuid(id)) TRY(checked(endpoint, id_of(data, id)));
    LET(Document document, checked(endpoint, document_of(data)));
    return document;
  }

  // The server would refuse it; so do we, with a better reason.
  Result<void> check_uuid(std::string_view endpoint, const std::string& id) const {
    if (hash::is_uuid(id)) return {};
    return caller_.refuse(Cure::give_up, endpoint, "'" + id + "' is no uuid; nothing was sent");
  }

  [[nodiscard]] std::unexpected<Failure> off_description(std::string_view endpoint,
                                                         const std::string& why) const {
    return caller_.refuse(Cure::give_up, endpoint,
                          "the answer is not what Outline's API describes: " + why);
  }

  template <class T>
  Result<T> checked(std::string_view endpoint, Read<T> read) const {
    if (!read) return off_description(endpoint, read.error());
    return *std::move(read);
  }

  Caller caller_;
};

}  // namespace

Result<std::unique_ptr<Outline>> connect_outline(Server& server, std::stop_token stop) {
  LET(auto caller, Caller::open(server, std::move(stop), kForbidden));
  return std::make_unique<OutlineWire>(std::move(caller));
}

}  // namespace tidemill::docs
