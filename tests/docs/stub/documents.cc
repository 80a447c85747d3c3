// documents.info, .list, .create, .update and .move.
#include <algorithm>
#include <functional>

#include "tests/docs/stub/api.h"
#include "tests/docs/stub/letters.h"
#include "tests/docs/stub/present.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

constexpr std::size_t kLongestText = 1536000;
constexpr std::size_t kLongestTitle = 100;

// What a document that is not there, or is in the trash, comes to in all endpoints that change
// something: nobody may do anything with nothing.
Checked<Document*> to_be_changed(World& world, const std::string& id) {
  Document* document = world.find(id);
  if (document == nullptr || !document->deleted_at.empty()) return refuse(403);
  return document;
}

Json one_document(World& world, const Document& document) {
  return {{"data", document_json(world, document)}, {"policies", policies_json({document.id})}};
}

struct Edit {
  std::optional<std::string> title{};
  std::optional<std::string> text{};
  TextEdit how{};
  std::optional<std::int64_t> last_revision{};
};

Checked<void> check_text(const Edit& edit) {
  const std::string& mode = edit.how.mode;
  if (mode != "replace" && mode != "append" && mode != "prepend" && mode != "patch") {
    return refuse(400,
                  "editMode: Invalid option: expected one of "
                  "\"replace\"|\"append\"|\"prepend\"|\"patch\"");
  }
  const auto& text = edit.text;
  if (text && utf16_length(*text) > kLongestText) return refuse(400, "text: Too long");
  if (mode == "patch" && !text) return refuse(400, "text is required when using patch editMode");
  if ((mode == "append" || mode == "prepend") && edit.how.text.empty()) {
    return refuse(400, "text is required when using append, prepend, or editMode");
  }
  if (mode == "patch" && edit.how.find.empty()) {
    return refuse(400, "findText is required when using patch editMode");
  }
  return {};
}

Checked<Edit> edit_of(const Json& body, const Rows& rows) {
  Edit edit;
  LET(edit.title, text_field(body, "title"));
  LET(edit.text, text_field(body, "text"));
  auto revision = count_field(body, "lastRevision");
  if (!revision && !rows.revision) return std::unexpected(revision.error());
  edit.last_revision = revision.value_or(std::nullopt);
  LET(const auto mode, text_field(body, "editMode"));
  LET(const auto find_text, text_field(body, "findText"));
  TRY(uuid_field(body, "collectionId"));
  const bool is_appended = body.value("append", Json()) == true;  // an older name of the mode
  edit.how = {.mode = mode.value_or(is_appended ? "append" : "replace"),
              .find = find_text.value_or(""),
              .text = edit.text.value_or("")};
  TRY(check_text(edit));
  if (edit.title) edit.title = trimmed(*edit.title);
  if (edit.title && utf16_length(*edit.title) > kLongestTitle) {
    return refuse(400, "Document title must be 100 characters or less (title)");
  }
  return edit;
}

}  // namespace

Checked<Json> documents_info(World& world, const Json& body) {
  if (!body.contains("id") && body.contains("shareId")) return refuse(404);
  LET(const auto id, document_field(body));
  const Document* document = world.find(id);
  if (document == nullptr) return refuse(404);
  return one_document(world, *document);
}

Checked<Json> documents_list(World& world, const Json& body) {
  LET(const auto page, page_field(body));
  LET(const auto order,
      order_field(body, {"createdAt", "updatedAt", "publishedAt", "index", "title"}, "updatedAt"));
  LET(auto found, filtered(world, body));
  if (world.rows().drafts) {
    std::erase_if(found, [](const Document* document) { return document->published_at.empty(); });
  }
  const auto key = [&](const Document* document) -> const std::string& {
    return order.by == "title"         ? document->title
           : order.by == "createdAt"   ? document->created_at
           : order.by == "publishedAt" ? document->published_at
                                       : document->updated_at;
  };
  std::sort(found.begin(), found.end(), [&](const Document* a, const Document* b) {
    if (key(a) == key(b)) return a->id < b->id;
    return (key(a) < key(b)) == order.ascending;
  });
  Json data = Json::array();
  std::vector<std::string> ids;
  for (std::size_t i = page.offset; i < found.size() && data.size() < page.limit; ++i) {
    data.push_back(document_json(world, *found[i]));
    ids.push_back(found[i]->id);
  }
  return Json{{"data", std::move(data)},
              {"pagination", page_json("documents.list", page, found.size())},
              {"policies", policies_json(ids)}};
}

Checked<Json> documents_create(World& world, const Json& body) {
  Document document;
  LET(const auto id, uuid_field(body, "id"));
  LET(const auto title, text_field(body, "title"));
  LET(const auto text, text_field(body, "text"));
  LET(const auto collection, uuid_field(body, "collectionId"));
  LET(const auto parent, uuid_field(body, "parentDocumentId"));
  const Json publish = body.value("publish", Json());
  if (!publish.is_null() && !publish.is_boolean())
    return refuse(400, "publish: expected a boolean");
  document.id = id.value_or("");
  document.title = trimmed(title.value_or(""));
  if (utf16_length(text.value_or("")) > kLongestText) return refuse(400, "text: Too long");
  document.body = Body(text.value_or(""), world.rows());
  if (utf16_length(document.title) > kLongestTitle) {
    return refuse(400, "Document title must be 100 characters or less (title)");
  }
  document.collection = collection.value_or("");
  document.parent = parent.value_or("");
  const bool is_published = publish == true;
  if (is_published && !collection && !parent) {
    return refuse(400, "collectionId or parentDocumentId is required to publish");
  }
  if (collection && !world.collections().contains(*collection)) return refuse(403);
  if (parent) {
    LET(const auto* above, to_be_changed(world, *parent));
    document.collection = above->collection;
  }
  if (id && world.find(*id) != nullptr) return refuse(400, "id must be unique (id)");
  if (is_published) document.published_at = "now";
  const Document& created = world.create(std::move(document));
  Json answer = one_document(world, created);
  world.settle(created.id);
  return answer;
}

Checked<Json> documents_update(World& world, const Json& body) {
  LET(const auto id, document_field(body));
  LET(const auto edit, edit_of(body, world.rows()));
  LET(auto* const document, to_be_changed(world, id));
  const bool is_checked = edit.last_revision && !world.rows().revision;
  if (is_checked && *edit.last_revision != document->revision) return refuse(409);
  Change change{.title = edit.title,
                .is_blind = !is_checked,
                .is_whole = edit.how.mode == "replace",
                .ignored_revision = is_checked ? std::nullopt : edit.last_revision};
  if (edit.text) {
    LET(change.body, document->body.edited(edit.how, world.rows()));
  }
  world.update(*document, change, Who::client);
  return one_document(world, *document);
}

Checked<Json> documents_move(World& world, const Json& body) {
  LET(const auto id, document_field(body));
  LET(const auto parent, uuid_field(body, "parentDocumentId"));
  LET(auto collection, uuid_field(body, "collectionId"));
  if (parent == id) {
    return refuse(400, "infinite loop detected, cannot nest a document inside itself");
  }
  LET(auto* const document, to_be_changed(world, id));
  if (parent) {
    LET(const auto* above, to_be_changed(world, *parent));
    if (above->published_at.empty()) return refuse(400, "Cannot move document inside a draft");
    collection = above->collection;
  } else if (!collection) {
    return refuse(400, "collectionId is required to move a document");
  } else if (!world.collections().contains(*collection)) {
    return refuse(403);
  }
  world.move(*document, *collection, parent.value_or(""), Who::client);
  return Json{{"data",
               {{"documents", Json::array({document_json(world, *document)})},
                {"collections", Json::array()}}},
              {"policies", policies_json({document->id})}};
}

}  // namespace tidemill::docs_stub
