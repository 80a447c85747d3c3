#include "tests/docs/stub/world.h"

#include <algorithm>
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

void save(Document& document, Who who, bool raises_revision = true) {
  if (raises_revision) ++document.revision;
  ++document.saves;
  document.updated_at = date_time(now_ms());
  document.changed_by = who;
  if (who == Who::human) {
    document.human_save = document.saves;
    document.human_revision = document.revision;
  }
}

// Does a change that nobody checked hit something that the client cannot know of?
bool is_unseen(const Document& document, std::int64_t human_save, const Change& change) {
  return human_save > document.shown_save || (human_save > 0 && change.ignored_revision &&
                                              *change.ignored_revision < document.human_revision);
}

void note_text(Json& line, Document& document, const Body& body, bool is_whole, Who who) {
  line["text_before"] = document.body.text();
  line["text_after"] = body.text();
  if (who == Who::human) return;
  const auto anchors = [](const Body& of) { return static_cast<int>(of.anchors().size()); };
  const int empties = body.empties();
  const int lost = document.body.empties() - document.client_empties - empties;
  line["anchors_lost"] = std::max(0, anchors(document.body) - anchors(body));
  line["empties_lost"] = is_whole ? std::max(0, lost) : 0;
  document.client_empties =
      is_whole ? 0 : std::max(0, document.client_empties + empties - document.body.empties());
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
  World fresh(rows_);
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
    LET(const auto text, seeded_text(item, "text"));
    document.body = Body(text, rows_);
    LET(document.collection, seeded_text(item, "collectionId"));
    LET(document.parent, seeded_text(item, "parentDocumentId"));
    if (!document.collection.empty() && !fresh.collections_.contains(document.collection)) {
      return refuse(400, "no collection " + document.collection);
    }
    document.created_at = document.updated_at = now;
    const bool is_draft = item.value("draft", Json()) == true;
    if (!document.collection.empty() && !is_draft) document.published_at = now;
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
  if (place == comment_places_.end() || comments_[place->second].is_deleted) return nullptr;
  return &comments_[place->second];
}

bool World::has_id(const std::string& id) const {
  return rows_.ids ? comment_places_.contains(id) : comment(id) != nullptr;
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
  const bool new_text = change.body && *change.body != document.body;
  if (!new_title && !new_text) return false;
  Json& line = note("update", document, who);
  const bool lost_text =
      new_text && change.is_whole && is_unseen(document, document.human_save, change);
  const bool lost_title = new_title && is_unseen(document, document.human_title_save, change);
  line["overwrote"] = who == Who::client && change.is_blind && (lost_text || lost_title);
  line["before"] = document.revision;
  if (new_text) {
    note_text(line, document, *change.body, change.is_whole, who);
    document.body = *change.body;
  }
  if (new_title) {
    line["title_before"] = document.title;
    document.title = *change.title;
  }
  line["title"] = document.title;
  save(document, who, !change.is_live || !rows_.live);
  if (new_title && who == Who::human) document.human_title_save = document.saves;
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
  line["text_after"] = document.body.text();
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

bool World::remove_comment(const std::string& id) {
  const auto place = comment_places_.find(id);
  if (place == comment_places_.end()) return false;
  comments_[place->second].is_deleted = true;
  return true;
}

bool World::anchor(Document& document, const std::string& words) {
  return document.body.anchor(new_uuid(), words, rows_);
}

void World::settle(const std::string& id) {
  if (rows_.created) ++documents_.at(id).revision;
}

void World::append_line(Document& document, const std::string& line, bool is_live) {
  Change change;
  change.is_live = is_live;
  if (rows_.joins) {
    auto body = document.body.edited({.mode = "append", .text = "\n\n" + line}, rows_);
    if (body) change.body = *std::move(body);
  } else {
    std::string text = document.body.text();
    if (!text.empty() && text.back() != '\n') text += '\n';
    change.body = Body(text + line + "\n", rows_);
  }
  update(document, change, Who::human);
}

Json World::state() const {
  Json documents = Json::array();
  for (const auto& [id, document] : documents_) {
    const Json parent = document.parent.empty() ? Json() : Json(document.parent);
    documents.push_back({{"id", id},
                         {"title", document.title},
                         {"text", document.body.text()},
                         {"collectionId", document.collection},
                         {"parentDocumentId", parent},
                         {"revision", document.revision},
                         {"updatedAt", document.updated_at},
                         {"anchors", document.body.anchors()},
                         {"deleted", !document.deleted_at.empty()}});
  }
  Json comments = Json::array();
  for (const auto& comment : comments_) {
    comments.push_back({{"id", comment.id},
                        {"documentId", comment.document},
                        {"text", comment.text},
                        {"deleted", comment.is_deleted}});
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
  for (const auto& [id, save] : shown) {
    Document* document = find(id);
    if (document != nullptr) document->shown_save = std::max(document->shown_save, save);
  }
}

}  // namespace tidemill::docs_stub
