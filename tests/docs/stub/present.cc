#include "tests/docs/stub/present.h"

namespace tidemill::docs_stub {
namespace {

constexpr const char* kBot = "5f0c3a52-6d0e-4c8e-9b57-0c8f4f6d2a11";
constexpr const char* kHuman = "b7c1d4e0-2a3f-4f5b-8d6c-1e2f3a4b5c6d";
constexpr const char* kTeam = "0d9a7c1e-8b4f-4e2a-a6c3-9f1b2d3c4e5f";
constexpr const char* kLongAgo = "2025-01-01T00:00:00.000Z";

Json person(const char* id, const char* name) {
  return {{"id", id},
          {"name", name},
          {"avatarUrl", "https://example.com/avatar.png"},
          {"color", "#FF5C80"},
          {"email", "someone@example.com"},
          {"role", "member"},
          {"isSuspended", false},
          {"lastActiveAt", nullptr},
          {"timezone", nullptr},
          {"createdAt", kLongAgo},
          {"updatedAt", kLongAgo},
          {"deletedAt", nullptr}};
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json user_json() { return person(kBot, "Stub Bot"); }

Json team_json() {
  return {{"id", kTeam},
          {"name", "Stub"},
          {"description", nullptr},
          {"avatarUrl", "https://example.com/team.png"},
          {"sharing", true},
          {"defaultUserRole", "member"},
          {"memberCollectionCreate", true},
          {"documentEmbeds", true},
          {"guestSignin", false},
          {"inviteRequired", false},
          {"allowedDomains", Json::array()},
          {"subdomain", "stub"},
          {"domain", nullptr},
          {"url", "http://127.0.0.1"},
          {"preferences", nullptr}};
}

Json collection_json(const Collection& collection) {
  const std::string url_id = short_id(collection.id);
  return {{"id", collection.id},
          {"url", "/collection/" + url_id},
          {"urlId", url_id},
          {"name", collection.name},
          {"description", or_null(collection.description)},
          {"sort", {{"field", "index"}, {"direction", "asc"}}},
          {"index", nullptr},
          {"color", nullptr},
          {"icon", nullptr},
          {"permission", "read_write"},
          {"sharing", true},
          {"commenting", nullptr},
          {"createdAt", collection.created_at},
          {"updatedAt", collection.created_at},
          {"deletedAt", nullptr},
          {"archivedAt", nullptr}};
}

Json document_json(World& world, const Document& document) {
  world.show(document);
  const std::string url_id = short_id(document.id);
  const Json changed_by =
      document.changed_by == Who::client ? user_json() : person(kHuman, "Hanna Human");
  return {{"id", document.id},
          {"url", "/doc/document-" + url_id},
          {"urlId", url_id},
          {"title", document.title},
          {"text", document.body.text()},
          {"icon", nullptr},
          {"color", nullptr},
          {"fullWidth", false},
          {"tasks", {{"completed", 0}, {"total", 0}}},
          {"collaboratorIds", {kHuman}},
          {"revision", document.revision},
          {"collectionId", or_null(document.collection)},
          {"parentDocumentId", or_null(document.parent)},
          {"createdAt", document.created_at},
          {"createdBy", person(kHuman, "Hanna Human")},
          {"updatedAt", document.updated_at},
          {"updatedBy", changed_by},
          {"publishedAt", or_null(document.published_at)},
          {"archivedAt", nullptr},
          {"deletedAt", or_null(document.deleted_at)}};
}

Json comment_json(const Comment& comment) {
  Json json = {{"id", comment.id},
               {"data", comment.data},
               {"documentId", comment.document},
               {"createdAt", comment.created_at},
               {"createdBy", user_json()},
               {"createdById", kBot},
               {"updatedAt", comment.created_at},
               {"resolvedAt", nullptr},
               {"resolvedById", nullptr},
               {"reactions", Json::array()}};
  if (!comment.parent.empty()) json["parentCommentId"] = comment.parent;
  return json;
}

Json policies_json(const std::vector<std::string>& ids) {
  Json policies = Json::array();
  for (const auto& id : ids) {
    policies.push_back(
        {{"id", id},
         {"abilities", {{"read", true}, {"update", true}, {"move", true}, {"comment", true}}}});
  }
  return policies;
}

Json page_json(const std::string& endpoint, const Page& page, std::size_t total) {
  return {{"limit", page.limit},
          {"offset", page.offset},
          {"total", total},
          {"nextPath", "/api/" + endpoint + "?limit=" + std::to_string(page.limit) +
                           "&offset=" + std::to_string(page.offset + page.limit)}};
}

}  // namespace tidemill::docs_stub
