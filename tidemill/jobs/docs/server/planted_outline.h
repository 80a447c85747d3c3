// Planted faults, mostly former bugs of docs, so that tests/docs can show that they are detected.
// Only in the program tidemill_planted (built with TIDEMILL_PLANT); the environment variable
// TIDEMILL_PLANT selects the fault.
//
//   random-comment-ids  a different id each time a comment is posted
//   old-comment-ids     ids of UUID version 5
//   tight-markers       no blank lines around the markers of a block
//   no-quoting          text of an assistant is written to the document unquoted
//   no-memory           the same, and the lines are not recognised later (written.cc)
//   blind-title         sets the title even if the server does not check revisions
//   by-revision-alone   does not notice what a live editor has saved
//   trusting-lists      does not verify the collection of listed documents
//   byte-by-byte        compares a block byte by byte with what was sent (effects.cc)
//   whole-text          every change sends the complete text
//   as-it-was           ignores hard breaks within a line
//   no-parents          ignores a document's parent
//   long-comments       does not shorten comments
//   no-gate             ignores the rate limits (caller.cc)
//   waiting-workers     a worker waits for its turn instead of deferring the task (caller.cc)
#pragma once
#ifdef TIDEMILL_PLANT

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/command/markdown.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

inline bool is_planted(std::string_view fault) {
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  return plant != nullptr && plant == fault;
}

// One thread.
class PlantedOutline final : public Outline {
 public:
  explicit PlantedOutline(std::unique_ptr<Outline> outline) : outline_(std::move(outline)) {}

  Result<void> begin(const std::string& endpoint) override { return outline_->begin(endpoint); }
  Result<std::string> who() override { return outline_->who(); }
  Result<std::vector<OutlineCollection>> collections() override { return outline_->collections(); }

  Result<std::vector<OutlineDocument>> list(const OutlineListing& listing) override {
    OutlineListing asked = listing;
    if (is_planted("trusting-lists")) asked.collection.clear();
    auto documents = outline_->list(asked);
    if (!documents) return documents;
    for (OutlineDocument& document : *documents) {
      document = seen(std::move(document));
      if (is_planted("trusting-lists")) document.collection = listing.collection;
    }
    return documents;
  }

  Result<std::vector<Hit>> search(const std::string& query, std::size_t limit) override {
    return outline_->search(query, limit);
  }

  Result<std::optional<OutlineDocument>> document(const std::string& id) override {
    auto answer = outline_->document(id);
    if (!answer || !*answer) return answer;
    text_ = (*answer)->text;
    return seen(**std::move(answer));
  }

  Result<Abilities> abilities(const OutlineDocument& document) override {
    auto can = outline_->abilities(document);
    if (can && is_planted("blind-title")) can->guards_revisions = true;
    return can;
  }

  Result<Updated> update(const std::string& id, const Edit& edit) override {
    Edit sent = edit;
    if (sent.text) sent.text->text = written(sent.text->text);
    if (sent.text && is_planted("whole-text")) sent.text = whole(*sent.text);
    auto now = outline_->update(id, sent);
    if (!now) return now;
    text_ = now->document.text;
    now->document = seen(std::move(now->document));
    return now;
  }

  Result<void> move(const std::string& id, const std::string& collection) override {
    return outline_->move(id, collection);
  }

  Result<std::optional<Comment>> comment(const std::string& id) override {
    if (is_planted("random-comment-ids")) return std::nullopt;
    return outline_->comment(id);
  }

  Result<Posted> post_comment(const std::string& id, const std::string& document,
                              const std::string& text) override {
    std::string own = is_planted("random-comment-ids") ? random_uuid() : id;
    if (is_planted("old-comment-ids")) own[14] = '5';
    const std::string more = is_planted("long-comments") ? std::string(1'000, '.') : "";
    return outline_->post_comment(own, document, text + more);
  }

 private:
  static OutlineDocument seen(OutlineDocument document) {
    if (is_planted("by-revision-alone")) document.updated_at.clear();
    if (is_planted("no-parents")) document.parent.clear();
    if (is_planted("as-it-was")) replace_all(document.text, kHardBreak, " ");
    return document;
  }

  // Our text as it was sent with the fault.
  static std::string written(std::string text) {
    if (is_planted("tight-markers")) {
      replace_all(text, "-->\n\n", "-->\n");
      replace_all(text, "\n\n<!--", "\n<!--");
    }
    if (is_planted("no-quoting") || is_planted("no-memory")) {
      std::erase(text, '`');
      replace_all(text, "\\", "");
    }
    return text;
  }

  // In the form that planted_body() in outline_http.cc expects.
  [[nodiscard]] TextEdit whole(const TextEdit& edit) const {
    std::string text = text_;
    if (edit.mode == TextEdit::Mode::prepend) {
      text = edit.text + text;
    } else if (edit.mode == TextEdit::Mode::append) {
      text += edit.text;
    } else if (const std::size_t at = text.find(edit.find); at != std::string::npos) {
      text.replace(at, edit.find.size(), edit.text);
    }
    return {.mode = TextEdit::Mode::append, .find = {}, .text = std::move(text)};
  }

  static void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
  }

  static std::string random_uuid() {
    std::random_device chance;
    std::string id = hash::uuid5("", std::to_string(chance()) + "." + std::to_string(chance()));
    id[14] = '4';
    return id;
  }

  std::unique_ptr<Outline> outline_;
  std::string text_{};  // of the document that was read last
};

}  // namespace tidemill::docs

#endif
