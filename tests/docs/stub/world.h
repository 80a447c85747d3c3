// World: what an Outline workspace holds (collections, documents, comments), and the journal of
// everything that was done to it.
//
// As in the real server every save of a document makes a new revision (an update that changes
// nothing is not saved, a move always is), and a comment's id is a primary key. Nothing is made
// idempotent here that is not there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/docs/stub/body.h"
#include "tests/docs/stub/rows.h"

namespace tidemill::docs_stub {

enum class Who : std::uint8_t { client, human };

struct Collection {
  std::string id{};
  std::string name{};
  std::string description{};
  std::string created_at{};
};

struct Document {
  std::string id{};
  std::string title{};
  Body body{};
  std::string collection{};  // empty: a draft outside
  std::string parent{};
  std::string created_at{};
  std::string updated_at{};
  std::string published_at{};  // empty: a draft
  std::string deleted_at{};    // empty: it is there
  std::int64_t revision = 1;
  Who changed_by = Who::human;
  // Saves are counted apart from revisions: not every save makes one.
  std::int64_t saves = 0;
  std::int64_t human_save = 0;        // the newest that a human made after the seed
  std::int64_t human_title_save = 0;  // the newest that changed the title
  std::int64_t shown_save = 0;        // the newest that a client was given
  std::int64_t human_revision = 0;    // of human_save
  int client_empties = 0;             // empty paragraphs that clients left
};

struct Comment {
  std::string id{};
  std::string document{};
  std::string parent{};
  std::string text{};
  Json data{};
  std::string created_at{};
  bool is_deleted = false;  // by a human
};

struct Change {
  std::optional<std::string> title{};
  std::optional<Body> body{};
  bool is_blind = false;                           // no revision that would be checked was given
  bool is_whole = false;                           // replaces all of the text
  bool is_live = false;                            // saved by the live editor
  std::optional<std::int64_t> ignored_revision{};  // was given, and not checked
};

// One thread: the stub's lock is held around every call.
class World {
 public:
  using Shown = std::vector<std::pair<std::string, std::int64_t>>;  // ids and saves

  explicit World(const Rows& rows) : rows_(rows) {}
  [[nodiscard]] const Rows& rows() const { return rows_; }

  [[nodiscard]] Checked<void> seed(const Json& body);  // all or nothing

  [[nodiscard]] const std::map<std::string, Collection>& collections() const {
    return collections_;
  }
  [[nodiscard]] const std::map<std::string, Document>& documents() const { return documents_; }
  [[nodiscard]] const std::vector<Comment>& comments() const { return comments_; }
  // By uuid or by short id; null: none.
  [[nodiscard]] Document* find(std::string_view id);
  [[nodiscard]] const Comment* comment(const std::string& id) const;  // null: none, or deleted
  [[nodiscard]] bool has_id(const std::string& id) const;             // may no new comment have it?

  // False: it is as it was, and was not saved.
  bool update(Document& document, const Change& change, Who who);
  void move(Document& document, const std::string& collection, const std::string& parent, Who who);
  const Document& create(Document document);   // with an id of its own; the rest is filled in
  const Comment& add(Comment comment);         // its id is new, or empty
  void remove(Document& document);             // into the trash, by a human
  bool remove_comment(const std::string& id);  // by a human; false: there is none
  // By a human: a comment on these words. False: they are not in the text.
  bool anchor(Document& document, const std::string& words);
  void settle(const std::string& id);  // what the server's worker does to a new document
  // By a human. A paragraph of its own with the row `joins`.
  void append_line(Document& document, const std::string& line, bool is_live = false);

  [[nodiscard]] Json state() const;
  [[nodiscard]] const Json& journal() const { return journal_; }
  [[nodiscard]] std::string new_uuid();  // random in form, the same in every run

  // What the answer in the making shows of documents. It counts as seen once it is delivered.
  void show(const Document& document) { shown_.emplace_back(document.id, document.saves); }
  [[nodiscard]] Shown take_shown() { return std::exchange(shown_, {}); }
  void delivered(const Shown& shown);

 private:
  Json& note(const char* effect, const Document& document, Who who);

  Rows rows_;
  std::map<std::string, Collection> collections_;
  std::map<std::string, Document> documents_;
  std::map<std::string, std::string, std::less<>> short_ids_;
  std::vector<Comment> comments_;
  std::map<std::string, std::size_t> comment_places_;
  Json journal_ = Json::array();
  Shown shown_;
  std::uint64_t uuids_ = 0;
};

[[nodiscard]] std::int64_t now_ms();  // since 1970
[[nodiscard]] std::string date_time(std::int64_t ms);
// The ten letters and digits that stand for a uuid in an address.
[[nodiscard]] std::string short_id(std::string_view uuid);
[[nodiscard]] std::uint64_t scramble(std::uint64_t x);
[[nodiscard]] std::uint64_t hash_of(std::string_view text);

}  // namespace tidemill::docs_stub
