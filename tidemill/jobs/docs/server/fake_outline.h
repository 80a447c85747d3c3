// FakeOutline: an Outline server in memory, for tests.
//
// It stores documents with revisions and comments by id, and a journal of all effects, by us and by
// users. Calls are counted from 1. A script may fail any call, before or after its effect (the
// answer is lost), or kill the caller there; a hook runs before each call, so that a test can act
// as a user in between. Like the real server: a patch changes the first match and leaves an empty
// paragraph behind, a move raises the revision as an edit does, a second comment with the same id
// is refused, even after the first was deleted, and so is every change of a document that is gone.
// `can` makes it a server from before August 2026, which ignores revisions. Texts are stored as
// given: the stub server emulates what the real one does to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/server/outline.h"
#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

// Applies a patch like the server: to a text in which an empty paragraph is a line with a
// backslash. Empty if `find` does not occur.
inline std::optional<std::string> patched_by_server(std::string text, const Patch& patch) {
  const auto exchange = [&](std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
  };
  exchange("\n\n\n", "\n\n\\\n");
  const std::size_t at = text.find(patch.find);
  if (at == std::string::npos) return std::nullopt;
  text.replace(at, patch.find.size(), patch.text);
  exchange("\n\\\n", "\n\n");
  return text;
}

struct FakeCall {
  std::size_t number = 0;  // from 1
  std::string endpoint{};  // "documents.info"
  std::string target{};    // the id of a document or a comment, or the words of a search
  bool operator==(const FakeCall&) const = default;
};

// Thrown where a script kills the caller. Our code does not throw or catch, so it reaches the test.
struct Killed {};

struct FakeFault {
  bool is_after = false;  // the effect has happened, the answer is lost
  bool kills = false;     // throws Killed instead of failing
  Failure failure{.cure = Cure::retry, .step = "fake", .reason = "503"};
};

struct FakeEffect {
  std::string by{};        // "us" or "human"
  std::string endpoint{};  // "documents.update", "documents.move", "comments.create"
  std::string target{};    // the document's id
  std::string detail{};    // of an update "title", "text" or "title text"; else the new collection
                           // or the comment's id
  std::int64_t revision = 0;  // of the document, afterwards
  bool operator==(const FakeEffect&) const = default;
};

struct FakeComment {
  std::string document{};
  std::string text{};
  bool operator==(const FakeComment&) const = default;
};

// One thread. Tests may read and change the fields.
class FakeOutline final : public Outline {
 public:
  std::map<std::string, OutlineDocument> documents{};
  std::map<std::string, FakeComment> comments{};  // by id
  std::set<std::string> deleted_comments{};
  std::vector<OutlineCollection> samples{};
  Abilities can{};
  std::vector<FakeEffect> journal{};
  std::vector<FakeCall> calls{};
  std::function<std::optional<FakeFault>(const FakeCall&)> script{};
  std::function<void(const FakeCall&)> before_call{};

  void fail_at(std::size_t number, const FakeFault& fault) {
    script = [number, fault](const FakeCall& call) -> std::optional<FakeFault> {
      if (call.number != number) return std::nullopt;
      return fault;
    };
  }

  OutlineDocument& add(std::string id, std::string title, std::string text,
                       std::string collection) {
    OutlineDocument& kept = documents[id];
    kept.id = std::move(id);
    kept.title = std::move(title);
    kept.text = std::move(text);
    kept.collection = std::move(collection);
    kept.url = "/doc/" + kept.id;
    kept.revision = 1;
    touch(kept);
    return kept;
  }

  // Actions of a user.
  void human_text(const std::string& id, std::string text) {
    write(documents.at(id), std::nullopt, std::move(text), "human");
  }
  void human_append(const std::string& id, std::string_view line) {
    human_text(id, documents.at(id).text + "\n" + std::string(line) + "\n");
  }
  void human_title(const std::string& id, std::string title) {
    write(documents.at(id), std::move(title), std::nullopt, "human");
  }
  void human_move(const std::string& id, const std::string& collection) {
    carry(documents.at(id), collection, "human");
  }
  void human_archive(const std::string& id) { documents.at(id).is_gone = true; }
  void human_delete(const std::string& id) { documents.erase(id); }
  void human_delete_comment(const std::string& id) {
    comments.erase(id);
    deleted_comments.insert(id);
  }

  [[nodiscard]] std::size_t effects_by_us(std::string_view endpoint) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(journal, [endpoint](const FakeEffect& effect) {
          return effect.by == "us" && effect.endpoint == endpoint;
        }));
  }

  Result<std::string> who() override {
    return called<std::string>("auth.info", "", [] { return std::string("tidemill"); });
  }

  Result<std::vector<OutlineCollection>> collections() override {
    return called<std::vector<OutlineCollection>>("collections.list", "", [&] { return samples; });
  }

  Result<std::vector<OutlineDocument>> list(const OutlineListing& listing) override {
    return called<std::vector<OutlineDocument>>("documents.list", listing.collection,
                                                [&] { return page_of(listing); });
  }

  // Finds every document that contains one of the words.
  Result<std::vector<Hit>> search(const std::string& query, std::size_t limit) override {
    return called<std::vector<Hit>>("documents.search", query, [&] {
      std::vector<Hit> hits;
      for (const auto& [id, document] : documents) {
        if (document.is_gone || hits.size() == limit || !holds_word_of(document, query)) continue;
        hits.push_back({.document = document, .context = document.text.substr(0, 80)});
      }
      return hits;
    });
  }

  Result<std::optional<OutlineDocument>> document(const std::string& id) override {
    return called<std::optional<OutlineDocument>>("documents.info", id, [&] {
      const auto found = documents.find(id);
      return found == documents.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Result<Abilities> abilities(const OutlineDocument& /*document*/) override { return can; }

  Result<Updated> update(const std::string& id, const Edit& wanted) override {
    return called<Updated>("documents.update", id, [&]() -> Result<Updated> {
      const auto found = documents.find(id);
      if (found == documents.end() || found->second.is_gone) return refused("403");
      OutlineDocument& kept = found->second;
      if (can.guards_revisions && wanted.last_revision != kept.revision) {
        return Updated{.how = Updated::How::conflict};
      }
      std::optional<std::string> text;
      if (wanted.text) {
        text = applied(kept.text, *wanted.text);
        if (!text) return Updated{.how = Updated::How::missed};
      }
      write(kept, wanted.title, std::move(text), "us");
      return Updated{.document = kept};
    });
  }

  Result<void> move(const std::string& id, const std::string& collection) override {
    return called<void>("documents.move", id, [&]() -> Result<void> {
      const auto found = documents.find(id);
      if (found == documents.end() || found->second.is_gone) return refused("403");
      carry(found->second, collection, "us");
      return {};
    });
  }

  Result<std::optional<Comment>> comment(const std::string& id) override {
    return called<std::optional<Comment>>("comments.info", id, [&]() -> std::optional<Comment> {
      const auto found = comments.find(id);
      if (found == comments.end()) return std::nullopt;
      return Comment{.document = found->second.document};
    });
  }

  Result<Posted> post_comment(const std::string& id, const std::string& document,
                              const std::string& text) override {
    return called<Posted>("comments.create", id, [&]() -> Result<Posted> {
      const auto found = documents.find(document);
      if (found == documents.end() || found->second.is_gone) return refused("403");
      if (id.at(14) != '4') return refused("400: Validation isUUID on id failed (id)");
      if (comments.contains(id) || deleted_comments.contains(id)) return Posted::id_is_taken;
      comments[id] = {.document = document, .text = text};
      note("us", "comments.create", found->second, id);
      return Posted::now;
    });
  }

 private:
  static std::unexpected<Failure> refused(std::string why) {
    return fail(Cure::give_up, "fake", std::move(why));
  }

  template <class T, class Act>
  Result<T> called(std::string endpoint, const std::string& target, Act act) {
    const FakeCall call{
        .number = calls.size() + 1, .endpoint = std::move(endpoint), .target = target};
    calls.push_back(call);
    if (before_call) before_call(call);
    const std::optional<FakeFault> fault = script ? script(call) : std::nullopt;
    if (fault && !fault->is_after) return struck(*fault);
    Result<T> answer = act();
    if (fault) return struck(*fault);
    return answer;
  }

  static std::unexpected<Failure> struck(const FakeFault& fault) {
    if (fault.kills) throw Killed{};
    return std::unexpected(fault.failure);
  }

  static bool holds_word_of(const OutlineDocument& document, const std::string& query) {
    for (std::size_t at = 0; at < query.size();) {
      const std::size_t end = std::min(query.find(' ', at), query.size());
      const std::string word = query.substr(at, end - at);
      const bool is_there = document.text.contains(word) || document.title.contains(word);
      if (!word.empty() && is_there) return true;
      at = end + 1;
    }
    return false;
  }

  std::vector<OutlineDocument> page_of(const OutlineListing& listing) const {
    std::vector<OutlineDocument> page;
    for (const auto& [id, document] : documents) {
      const bool fits = listing.collection.empty() || document.collection == listing.collection;
      if (fits && !document.is_gone) page.push_back(document);
    }
    std::ranges::sort(page, [](const OutlineDocument& one, const OutlineDocument& other) {
      return one.updated_at > other.updated_at;  // no two are equal, see touch()
    });
    page.erase(page.begin(),
               page.begin() + static_cast<std::ptrdiff_t>(std::min(listing.offset, page.size())));
    if (page.size() > listing.limit) page.resize(listing.limit);
    return page;
  }

  // Empty if `find` does not occur.
  static std::optional<std::string> applied(const std::string& old, const TextEdit& edit) {
    if (edit.mode == TextEdit::Mode::prepend) return edit.text + old;
    if (edit.mode == TextEdit::Mode::append) return old + edit.text;
    return patched_by_server(old, {.find = edit.find, .text = edit.text});
  }

  void write(OutlineDocument& kept, std::optional<std::string> title,
             std::optional<std::string> text, const std::string& by) {
    std::string parts;
    if (title) parts += "title";
    if (text) parts += parts.empty() ? "text" : " text";
    if (title) kept.title = *std::move(title);
    if (text) kept.text = *std::move(text);
    ++kept.revision;
    touch(kept);
    note(by, "documents.update", kept, parts);
  }

  void carry(OutlineDocument& kept, const std::string& collection, const std::string& by) {
    kept.collection = collection;
    ++kept.revision;
    touch(kept);
    note(by, "documents.move", kept, collection);
  }

  void touch(OutlineDocument& kept) {
    std::string tick = std::to_string(++ticks_);
    kept.updated_at = "2026-01-01T" + std::string(9 - std::min<std::size_t>(9, tick.size()), '0') +
                      std::move(tick);
  }

  void note(const std::string& by, std::string endpoint, const OutlineDocument& kept,
            std::string detail) {
    FakeEffect& effect = journal.emplace_back();
    effect.by = by;
    effect.endpoint = std::move(endpoint);
    effect.target = kept.id;
    effect.detail = std::move(detail);
    effect.revision = kept.revision;
  }

  std::uint64_t ticks_ = 0;
};

}  // namespace tidemill::docs
