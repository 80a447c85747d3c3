#include "tests/docs/stub/world.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>

#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

const char* name_of(Who who) { return who == Who::client ? "client" : "human"; }

Checked<std::string> seeded_id(const Json& item, std::set<std::string>& ids) {
  if (!item.is_object()) return refuse(400, "every collection and document is an object");
  LET(auto id, needed_uuid(item, "id"));
  if (!ids.insert(id).second) return refuse(400, "twice: " + id);
  return id;
}

Checked<std::string> seeded_text(const Json& item, const char* name) {
  LET(auto text, text_field(item, name));
  return text.value_or("");
}

void save(Document& document, Who who) {
  ++document.revision;
  document.updated_at = date_time(now_ms());
  document.changed_by = who;
  if (who == Who::human) document.human_revision = document.revision;
}

}  // namespace

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string date_time(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> whole{};
  const auto length = std::strftime(whole.data(), whole.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ", static_cast<int>(ms % 1000));
  return std::string(whole.data(), length) + rest.data();
}

std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return scramble(hash);
}

std::string short_id(std::string_view uuid) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::uint64_t hash = hash_of(uuid);
  std::string letters;
  for (int i = 0; i < 10; ++i) {
    letters += kLetters[hash % kLetters.size()];
    hash /= kLetters.size();
  }
  return letters;
}

Checked<void> World::seed(const Json& body) {
  World fresh;
  std::set<std::string> ids;
  const std::string now = date_time(now_ms());
  for (const auto& item : body.value("collections", Json::array())) {
    LET(auto id, seeded_id(item, ids));
    LET(auto name, seeded_text(item, "name"));
    LET(auto description, seeded_text(item, "description"));
    fresh.collections_[id] = {
        .id = id, .name = name, .description = description, .created_at = now};
  }
  for (const auto& item : body.value("documents", Json::array())) {
    Document document;
    LET(document.id, seeded_id(item, ids));
    LET(document.title, seeded_text(item, "title"));
    LET(document.text, seeded_text(item, "text"));
    LET(document.collection, seeded_text(item, "collectionId"));
    if (!document.collection.empty() && !fresh.collections_.contains(document.collection)) {
      return refuse(400, "no collection " + document.collection);
    }
    document.created_at = document.updated_at = now;
    if (!document.collection.empty()) document.published_at = now;
    fresh.short_ids_[short_id(document.id)] = document.id;
    fresh.documents_[document.id] = std::move(document);
  }
  *this = std::move(fresh);
  return {};
}

Document* World::find(std::string_view id) {
  auto found = documents_.find(std::string(id));
  if (found == documents_.end()) {
    const auto dash = id.rfind('-');
    const auto last = dash == std::string_view::npos ? id : id.substr(dash + 1);
    const auto by_short = short_ids_.find(last);
    if (by_short != short_ids_.end()) found = documents_.find(by_short->second);
  }
  return found == documents_.end() ? nullptr : &found->second;
}

const Comment* World::comment(const std::string& id) const {
  const auto place = comment_places_.find(id);
  return place == comment_places_.end() ? nullptr : &comments_[place->second];
}

Json& World::note(const char* effect, const Document& document, Who who) {
  journal_.push_back({{"n", journal_.size() + 1},
                      {"ms", now_ms()},
                      {"by", name_of(who)},
                      {"effect", effect},
                      {"document", document.id},
                      {"overwrote", false}});
  return journal_.back();
}

bool World::update(Document& document, const Change& change, Who who) {
  const bool new_title = change.title && *change.title != document.title;
  const bool new_text = change.text && *change.text != document.text;
  if (!new_title && !new_text) return false;
  Json& line = note("update", document, who);
  line["overwrote"] = who == Who::client && change.is_blind && new_text &&
                      document.human_revision > document.shown_revision;
  line["before"] = document.revision;
  if (new_text) {
    line["text_before"] = document.text;
    line["text_after"] = *change.text;
    document.text = *change.text;
  }
  if (new_title) {
    line["title_before"] = document.title;
    document.title = *change.title;
  }
  line["title"] = document.title;
  save(document, who);
  line["after"] = document.revision;
  return true;
}

void World::move(Document& document, const std::string& collection, const std::string& parent,
                 Who who) {
  Json& line = note("move", document, who);
  line["from"] = document.collection;
  line["to"] = collection;
  line["before"] = document.revision;
  document.collection = collection;
  document.parent = parent;
  save(document, who);
  line["after"] = document.revision;
}

const Document& World::create(Document document) {
  const std::string now = date_time(now_ms());
  if (document.id.empty()) document.id = new_uuid();
  document.created_at = document.updated_at = now;
  if (!document.published_at.empty()) document.published_at = now;
  document.changed_by = Who::client;
  short_ids_[short_id(document.id)] = document.id;
  Json& line = note("create", document, Who::client);
  line["title"] = document.title;
  line["text_after"] = document.text;
  line["to"] = document.collection;
  line["after"] = document.revision;
  const std::string id = document.id;
  return documents_[id] = std::move(document);
}

const Comment& World::add(Comment comment) {
  if (comment.id.empty()) comment.id = new_uuid();
  comment.created_at = date_time(now_ms());
  Json& line = note("comment", documents_.at(comment.document), Who::client);
  line["comment"] = comment.id;
  line["text_after"] = comment.text;
  comment_places_[comment.id] = comments_.size();
  comments_.push_back(std::move(comment));
  return comments_.back();
}

void World::remove(Document& document) {
  document.deleted_at = date_time(now_ms());
  note("delete", document, Who::human);
}

void World::append_line(Document& document, const std::string& line) {
  std::string text = document.text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  Change change;
  change.text = text + line + "\n";
  update(document, change, Who::human);
}

Json World::state() const {
  Json documents = Json::array();
  for (const auto& [id, document] : documents_) {
    documents.push_back({{"id", id},
                         {"title", document.title},
                         {"text", document.text},
                         {"collectionId", document.collection},
                         {"revision", document.revision},
                         {"updatedAt", document.updated_at},
                         {"deleted", !document.deleted_at.empty()}});
  }
  Json comments = Json::array();
  for (const auto& comment : comments_) {
    comments.push_back(
        {{"id", comment.id}, {"documentId", comment.document}, {"text", comment.text}});
  }
  return {{"documents", std::move(documents)}, {"comments", std::move(comments)}};
}

std::string World::new_uuid() {
  const std::uint64_t high = scramble(++uuids_);
  const std::uint64_t low = scramble(high);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-a%03x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>(high & 0xFFFFU),
                static_cast<unsigned>((high >> 16U) & 0xFFFU), static_cast<unsigned>(low >> 52U),
                static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFU));
  return text.data();
}

void World::delivered(const Shown& shown) {
  for (const auto& [id, revision] : shown) {
    Document* document = find(id);
    if (document != nullptr && document->shown_revision < revision) {
      document->shown_revision = revision;
    }
  }
}

}  // namespace tidemill::docs_stub
