#include <memory>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/server/caller.h"
#include "tidemill/jobs/docs/server/docs_server.h"
#include "tidemill/jobs/docs/server/outline_json.h"
#include "tidemill/jobs/docs/server/planted_outline.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;

constexpr int kInvalid = 400;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr std::string_view kTaken = "id must be unique";
constexpr std::string_view kForbidden =
    "check that the document or collection exists and is not in the trash: Outline gives the same "
    "response for those";
constexpr std::size_t kPage = 100;
constexpr std::size_t kMostCollections = 1'000;

#ifdef TIDEMILL_PLANT  // see planted_outline.h
std::string planted_body(std::string body) {
  if (is_planted("blind-title")) body = body.substr(0, body.rfind(",\"lastRevision\"")) + "}";
  constexpr std::string_view kPart = "\"editMode\":\"append\"";
  const std::size_t at = body.find(kPart);
  if (is_planted("whole-text") && at != std::string::npos) {
    body.replace(at, kPart.size(), "\"editMode\":\"replace\"");
  }
  return body;
}
#endif

// One thread.
class OutlineWire final : public Outline {
 public:
  OutlineWire(DocsServer& server, Caller caller) : server_(&server), caller_(std::move(caller)) {}

  Result<void> begin(const std::string& endpoint) override { return caller_.begin(endpoint); }

  Result<std::string> who() override {
    LET(const Json data, ask("auth.info", ""));  // the description has no body here
    return checked("auth.info", user_of(data));
  }

  Result<std::vector<OutlineCollection>> collections() override {
    std::vector<OutlineCollection> all;
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

  Result<std::vector<OutlineDocument>> list(const OutlineListing& listing) override {
    LET(const Json data, ask("documents.list", list_body(listing)));
    return checked("documents.list", documents_of(data));
  }

  Result<std::vector<Hit>> search(const std::string& query, std::size_t limit) override {
    LET(const Json data, ask("documents.search", search_body(query, limit)));
    return checked("documents.search", hits_of(data));
  }

  Result<std::optional<OutlineDocument>> document(const std::string& id) override {
    LET(const auto response, post("documents.info", id_body(id), {kNotFound}));
    if (response.status == kNotFound) return std::nullopt;
    return one_document("documents.info", response, id);
  }

  Result<Abilities> abilities(const OutlineDocument& document) override {
    if (const auto known = server_->abilities()) return *known;
    constexpr std::string_view kEndpoint = "documents.update";
    Abilities can;
    LET(const auto mode, post(kEndpoint, edit_mode_probe(document.id), {kInvalid}));
    // A patch without a text: a server that supports patches rejects it, a server without editMode
    // has nothing to change, and some versions in between reject the mode ("Invalid option").
    can.edits_parts = mode.status == kInvalid && !mode.body.contains("Invalid option");
    LET(const auto revision,
        post(kEndpoint, revision_probe(document.id, document.revision), {kConflict}));
    can.guards_revisions = revision.status == kConflict;
    server_->found_out(can);
    return can;
  }

  Result<Updated> update(const std::string& id, const Edit& edit) override {
    constexpr std::string_view kEndpoint = "documents.update";
    if (edit.text && characters_in(edit.text->text) > kMostCharacters) {
      return caller_.refuse(Cure::give_up, kEndpoint,
                            "document " + id + " would be longer than the 1,536,000 characters " +
                                "that Outline allows; nothing was sent");
    }
    std::string body = update_body(id, edit);
#ifdef TIDEMILL_PLANT
    body = planted_body(std::move(body));
#endif
    LET(const auto response, post(kEndpoint, std::move(body), {kConflict, kNotFound}));
    if (response.status == kConflict) {
      caller_.count_conflict();
      return Updated{.how = Updated::How::conflict};
    }
    if (response.status == kNotFound) {
      if (edit.text) return Updated{.how = Updated::How::missed};
      TRY(caller_.judge(kEndpoint, response));
    }
    LET(OutlineDocument document, one_document(kEndpoint, response, id));
    return Updated{.document = std::move(document)};
  }

  Result<void> move(const std::string& id, const std::string& collection) override {
    TRY(check_uuid("documents.move", collection));
    LET(const Json data, ask("documents.move", move_body(id, collection)));
    if (!data.is_object()) return off_description("documents.move", "data is not an object");
    return {};
  }

  Result<std::optional<Comment>> comment(const std::string& id) override {
    constexpr std::string_view kEndpoint = "comments.info";
    TRY(check_uuid(kEndpoint, id));
    LET(const auto response, post(kEndpoint, id_body(id), {kNotFound}));
    if (response.status == kNotFound) return std::nullopt;
    LET(const Json data, checked(kEndpoint, data_of(response.body)));
    TRY(checked(kEndpoint, id_of(data, id)));
    LET(Comment comment, checked(kEndpoint, comment_of(data)));
    return comment;
  }

  Result<Posted> post_comment(const std::string& id, const std::string& document,
                              const std::string& text) override {
    constexpr std::string_view kEndpoint = "comments.create";
    TRY(check_uuid(kEndpoint, id));
    TRY(check_uuid(kEndpoint, document));
    LET(const auto response, post(kEndpoint, comment_body(id, document, text), {kInvalid}));
    if (response.status == kInvalid) {
      if (response.body.contains(kTaken)) return Posted::id_is_taken;
      TRY(caller_.judge(kEndpoint, response));
    }
    LET(const Json data, checked(kEndpoint, data_of(response.body)));
    TRY(checked(kEndpoint, id_of(data, id)));
    return Posted::now;
  }

 private:
  Result<http::HttpResponse> post(std::string_view endpoint, std::string body,
                                  std::initializer_list<int> welcome = {}) {
    return caller_.call(endpoint, "/api/" + std::string(endpoint), std::move(body), welcome);
  }

  Result<Json> ask(std::string_view endpoint, std::string body) {
    LET(const auto response, post(endpoint, std::move(body)));
    return checked(endpoint, data_of(response.body));
  }

  // An answer about another document must not be accepted: its text would be written to this one.
  // This can only be checked if the request used the UUID.
  Result<OutlineDocument> one_document(std::string_view endpoint,
                                       const http::HttpResponse& response,
                                       const std::string& id) const {
    LET(const Json data, checked(endpoint, data_of(response.body)));
    if (hash::is_uuid(id)) TRY(checked(endpoint, id_of(data, id)));
    LET(OutlineDocument document, checked(endpoint, document_of(data)));
    return document;
  }

  // The server would refuse it as well, with a worse reason.
  Result<void> check_uuid(std::string_view endpoint, const std::string& id) const {
    if (hash::is_uuid(id)) return {};
    return caller_.refuse(Cure::give_up, endpoint, "'" + id + "' is not a UUID; nothing was sent");
  }

  [[nodiscard]] std::unexpected<Failure> off_description(std::string_view endpoint,
                                                         const std::string& why) const {
    return caller_.refuse(Cure::give_up, endpoint,
                          "the response does not match the Outline API: " + why);
  }

  template <class T>
  Result<T> checked(std::string_view endpoint, Read<T> read) const {
    if (!read) return off_description(endpoint, read.error());
    return *std::move(read);
  }

  DocsServer* server_;
  Caller caller_;
};

}  // namespace

Result<std::unique_ptr<Outline>> connect_outline(DocsServer& server, std::stop_token stop) {
  LET(auto caller, Caller::open(server, std::move(stop), kForbidden));
  auto outline = std::make_unique<OutlineWire>(server, std::move(caller));
#ifdef TIDEMILL_PLANT
  return std::make_unique<PlantedOutline>(std::move(outline));
#else
  return outline;
#endif
}

}  // namespace tidemill::docs
