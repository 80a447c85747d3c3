#include "tests/docs/stub/api.h"

#include <algorithm>
#include <map>

#include "tests/docs/stub/present.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

constexpr std::size_t kLongestComment = 1000;

Checked<Json> auth_info(World& /*world*/, const Json& /*body*/) {
  return Json{{"data", {{"user", user_json()}, {"team", team_json()}}}};
}

Checked<Json> collections_list(World& world, const Json& body) {
  LET(const auto page, page_field(body));
  LET(const auto query, text_field(body, "query"));
  Json data = Json::array();
  std::vector<std::string> ids;
  std::size_t total = 0;
  for (const auto& [id, collection] : world.collections()) {
    if (query && collection.name.find(*query) == std::string::npos) continue;
    ++total;
    if (total <= page.offset || data.size() >= page.limit) continue;
    data.push_back(collection_json(collection));
    ids.push_back(id);
  }
  return Json{{"data", std::move(data)},
              {"pagination", page_json("collections.list", page, total)},
              {"policies", policies_json(ids)}};
}

Checked<Json> collections_info(World& world, const Json& body) {
  LET(const auto id, needed_uuid(body, "id"));
  const auto found = world.collections().find(id);
  if (found == world.collections().end()) return refuse(404);
  return Json{{"data", collection_json(found->second)}, {"policies", policies_json({id})}};
}

Json as_editor_data(const std::string& text) {
  const Json words = {{"type", "text"}, {"text", text}};
  const Json paragraph = {{"type", "paragraph"}, {"content", Json::array({words})}};
  return {{"type", "doc"}, {"content", Json::array({paragraph})}};
}

Checked<Json> comments_create(World& world, const Json& body) {
  Comment comment;
  LET(const auto id, uuid_field(body, "id"));
  LET(comment.document, needed_uuid(body, "documentId"));
  LET(const auto parent, uuid_field(body, "parentCommentId"));
  LET(const auto text, text_field(body, "text"));
  const Json data = body.value("data", Json());
  if (!data.is_null() && !data.is_object()) return refuse(400, "data: expected an object");
  if (text.value_or("").empty() && (data.is_null() || data.empty())) {
    return refuse(400, "One of data or text is required");
  }
  const Document* document = world.find(comment.document);
  if (document == nullptr || !document->deleted_at.empty()) return refuse(403);
  if (parent && world.comment(*parent) == nullptr) return refuse(400, "parentCommentId: Invalid");
  if (utf16_length(text.value_or("")) > kLongestComment) {
    return refuse(400, "Comment must be less than 1000 characters (data)");
  }
  if (id && world.rows().ids && id->at(14) != '4') {
    return refuse(400, "Validation isUUID on id failed (id)");
  }
  if (id && world.has_id(*id)) return refuse(400, "id must be unique (id)");
  comment.id = id.value_or("");
  comment.parent = parent.value_or("");
  comment.text = text.value_or("");
  comment.data = data.is_object() && !data.empty() ? data : as_editor_data(comment.text);
  const Comment& added = world.add(std::move(comment));
  return Json{{"data", comment_json(added)}, {"policies", policies_json({added.id})}};
}

Checked<Json> comments_info(World& world, const Json& body) {
  LET(const auto id, needed_uuid(body, "id"));
  const Comment* comment = world.comment(id);
  if (comment == nullptr) return refuse(404);
  return Json{{"data", comment_json(*comment)}, {"policies", policies_json({id})}};
}

Checked<Json> comments_list(World& world, const Json& body) {
  LET(const auto page, page_field(body));
  LET(const auto order, order_field(body, {"createdAt", "updatedAt"}, "createdAt"));
  LET(const auto document, uuid_field(body, "documentId"));
  LET(const auto collection, uuid_field(body, "collectionId"));
  if (document && world.find(*document) == nullptr) return refuse(403);
  if (collection && !world.collections().contains(*collection)) return refuse(403);
  std::vector<const Comment*> found;
  for (const auto& comment : world.comments()) {
    const Document* of = world.find(comment.document);
    const bool is_wanted = document     ? comment.document == *document
                           : collection ? of != nullptr && of->collection == *collection
                                        : true;
    if (is_wanted && !comment.is_deleted) found.push_back(&comment);
  }
  if (!order.ascending) std::reverse(found.begin(), found.end());
  Json data = Json::array();
  std::vector<std::string> ids;
  for (std::size_t i = page.offset; i < found.size() && data.size() < page.limit; ++i) {
    data.push_back(comment_json(*found[i]));
    ids.push_back(found[i]->id);
  }
  return Json{{"data", std::move(data)},
              {"pagination", page_json("comments.list", page, found.size())},
              {"policies", policies_json(ids)}};
}

}  // namespace

Endpoint endpoint_named(const std::string& name) {
  static const std::map<std::string, Endpoint> kEndpoints = {
      {"auth.info", auth_info},
      {"collections.list", collections_list},
      {"collections.info", collections_info},
      {"documents.info", documents_info},
      {"documents.list", documents_list},
      {"documents.search", documents_search},
      {"documents.create", documents_create},
      {"documents.update", documents_update},
      {"documents.move", documents_move},
      {"comments.create", comments_create},
      {"comments.info", comments_info},
      {"comments.list", comments_list},
  };
  const auto found = kEndpoints.find(name);
  return found == kEndpoints.end() ? nullptr : found->second;
}

}  // namespace tidemill::docs_stub
