#include "tidemill/jobs/docs/server/outline_json.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/server/sound.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;
using text::JsonWriter;

constexpr std::size_t kMostQuery = 200;  // characters

std::string first_characters(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  while (end < text.size() && most-- > 0) {
    end += std::max<std::size_t>(text::front_character(text.substr(end)).length, 1);
  }
  return sound(text.substr(0, end));
}

std::unexpected<std::string> wrong(std::string_view field, std::string_view how) {
  return std::unexpected(std::string(field) + " " + std::string(how));
}

Read<std::string> text_in(const Json& data, std::string_view field) {
  if (!data[field].is_text()) return wrong(field, "is not a string");
  return data[field].text();
}

Read<std::string> uuid_in(const Json& data, std::string_view field) {
  if (!hash::is_uuid(data[field].text())) return wrong(field, "is not a UUID");
  return data[field].text();
}

bool is_gone(const Json& data) {
  return !data["archivedAt"].is_null() || !data["deletedAt"].is_null();
}

Read<ListedCollection> collection_of(const Json& data) {
  ListedCollection listed;
  LET(listed.collection.id, uuid_in(data, "id"));
  LET(listed.collection.name, text_in(data, "name"));
  listed.collection.description = data["description"].text();  // may be null
  listed.is_gone = is_gone(data);
  return listed;
}

Read<Hit> hit_of(const Json& data) {
  Hit hit;
  LET(hit.document, document_of(data["document"]));
  hit.context = data["context"].text();
  return hit;
}

template <class T>
Read<std::vector<T>> all_of(const Json& data, Read<T> (*one_of)(const Json&)) {
  if (!data.is_array()) return wrong("data", "is not an array");
  std::vector<T> all;
  all.reserve(data.items().size());
  for (const Json& item : data.items()) {
    auto one = one_of(item);
    if (!one) {
      return std::unexpected("data[" + std::to_string(all.size()) + "]: " + one.error());
    }
    all.push_back(*std::move(one));
  }
  return all;
}

std::string_view name_of(TextEdit::Mode mode) {
  switch (mode) {
    case TextEdit::Mode::patch:
      return "patch";
    case TextEdit::Mode::prepend:
      return "prepend";
    case TextEdit::Mode::append:
      return "append";
  }
  return "patch";
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) != 0x80U) ++count;
    if (byte >= 0xf0U) ++count;
  }
  return count;
}

std::string page_body(std::size_t offset, std::size_t limit) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("offset").value(offset).key("limit").value(limit).end_object();
  return body;
}

std::string list_body(const OutlineListing& listing) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("offset").value(listing.offset).key("limit").value(listing.limit);
  json.key("sort").value("updatedAt").key("direction").value("DESC");
  if (!listing.collection.empty()) {
    json.key("collectionId").value(sound(listing.collection));
  }
  json.end_object();
  return body;
}

std::string search_body(const std::string& query, std::size_t limit) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("query").value(first_characters(query, kMostQuery));
  json.key("offset").value(0).key("limit").value(limit).end_object();
  return body;
}

std::string id_body(const std::string& id) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id)).end_object();
  return body;
}

std::string edit_mode_probe(const std::string& id) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id)).key("editMode").value("patch").end_object();
  return body;
}

std::string revision_probe(const std::string& id, std::int64_t revision) {
  constexpr std::int64_t kFarAway = 1'000'000;
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id));
  json.key("lastRevision").value(revision + kFarAway).end_object();
  return body;
}

std::string update_body(const std::string& id, const Edit& edit) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id));
  if (edit.title) json.key("title").value(sound(*edit.title));
  if (edit.text) {
    json.key("editMode").value(name_of(edit.text->mode));
    if (edit.text->mode == TextEdit::Mode::patch) {
      json.key("findText").value(sound(edit.text->find));
    }
    json.key("text").value(sound(edit.text->text));
  }
  json.key("lastRevision").value(edit.last_revision).end_object();
  return body;
}

std::string move_body(const std::string& id, const std::string& collection) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id));
  json.key("collectionId").value(sound(collection)).end_object();
  return body;
}

std::string comment_body(const std::string& id, const std::string& document,
                         const std::string& text) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("id").value(sound(id)).key("documentId").value(sound(document));
  json.key("text").value(sound(text)).end_object();
  return body;
}

Read<Json> data_of(std::string_view answer) {
  auto json = Json::parse(answer);
  if (!json) return std::unexpected("not JSON: " + json.error().reason);
  const Json& data = (*json)["data"];
  if (!data.is_object() && !data.is_array()) return wrong("data", "is missing");
  return data;
}

Read<std::string> user_of(const Json& data) { return text_in(data["user"], "name"); }

Read<OutlineDocument> document_of(const Json& data) {
  OutlineDocument document;
  LET(document.id, uuid_in(data, "id"));
  LET(document.title, text_in(data, "title"));
  LET(document.text, text_in(data, "text"));
  LET(document.updated_at, text_in(data, "updatedAt"));
  if (!data["collectionId"].is_null()) {
    LET(document.collection, uuid_in(data, "collectionId"));
  }
  if (!data["parentDocumentId"].is_null()) {
    LET(document.parent, uuid_in(data, "parentDocumentId"));
  }
  document.url = data["url"].text();
  const auto revision = data["revision"].whole();
  if (!revision || *revision < 0) return wrong("revision", "is not a whole number of 0 or more");
  document.revision = *revision;
  document.is_gone = is_gone(data);
  return document;
}

Read<std::vector<OutlineDocument>> documents_of(const Json& data) {
  return all_of(data, document_of);
}

Read<std::vector<Hit>> hits_of(const Json& data) { return all_of(data, hit_of); }

Read<Comment> comment_of(const Json& data) {
  Comment comment;
  LET(comment.document, uuid_in(data, "documentId"));
  return comment;
}

Read<std::vector<ListedCollection>> collections_of(const Json& data) {
  return all_of(data, collection_of);
}

Read<std::string> id_of(const Json& data, std::string_view expected) {
  LET(std::string id, uuid_in(data, "id"));
  if (in_lower_case(id) != in_lower_case(expected)) return wrong("id", "is not the requested one");
  return id;
}

}  // namespace tidemill::docs
