// The effects of a decision: look, see what is still ours to do, do it under the revision seen.
#include <algorithm>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/blocks.h"
#include "tidemill/jobs/docs/plan.h"

namespace tidemill::docs {
namespace {

Result<std::optional<Document>> living(const std::string& id, Outline& outline) {
  auto answer = outline.document(id);
  if (!answer) return answer;
  const std::optional<Document>& document = *answer;
  if (document && document->is_gone) return std::nullopt;
  return answer;
}

void leave_document(Decision& decision) {
  auto& left = decision.left_alone;
  if (std::ranges::find(left, "document") == left.end()) left.emplace_back("document");
}

std::unexpected<Failure> gone() { return fail(Cure::give_up, "document", "it is gone"); }

// As the server counts: a character beyond the first 65,536 is two. Bytes that go on with one are
// none.
std::size_t units_of(char byte) {
  const auto bits = static_cast<unsigned char>(byte);
  if ((bits & 0xC0U) == 0x80U) return 0;
  return bits >= 0xF0U ? 2 : 1;
}

std::size_t units_of(std::string_view text) {
  std::size_t units = 0;
  for (const char byte : text) units += units_of(byte);
  return units;
}

// At most so many, whole characters, and it shows.
std::string cut(std::string_view text, std::size_t most) {
  if (units_of(text) <= most) return std::string(text);
  std::size_t units = 1;  // of the dots
  std::size_t end = 0;
  while (end < text.size() && units + units_of(text[end]) <= most) units += units_of(text[end++]);
  return std::string(text.substr(0, end)) + "…";
}

std::string comment_text(const Decision& decision) {
  std::string note;
  for (const std::string& what : decision.left_alone) {
    note += (note.empty() ? "\n\nLeft alone, for somebody changed it meanwhile: " : ", ") + what;
  }
  if (!note.empty()) note += ".";
  const std::size_t taken = std::min(units_of(note), kLongestComment);
  return cut(decision.comment, kLongestComment - taken) + note;
}

Result<void> check_length(std::string_view text) {
  if (text.size() <= kLongestText) return {};
  const std::size_t units = units_of(text);
  if (units <= kLongestText) return {};
  return fail(Cure::give_up, "text",
              "it would have " + std::to_string(units) + " characters, and the server takes " +
                  std::to_string(kLongestText));
}

// What a look at the document says: what to write into `title` or `text` of the edit. What is to
// be left alone is noted in the decision, which is a copy of its own for each look.
using Look = std::function<void(const Document&, Edit&, Decision&)>;

// Nothing: the document is gone.
Result<std::optional<Decision>> edited(const Decision& decision, Outline& outline,
                                       const Look& look) {
  TRY(outline.begin("documents.update"));
  for (int conflicts = 0; conflicts <= kConflicts; ++conflicts) {
    LET(const std::optional<Document> document, living(decision.document, outline));
    if (!document) return std::nullopt;
    Decision after = decision;
    after.revision = document->revision;
    Edit edit;
    edit.last_revision = document->revision;
    look(*document, edit, after);
    if (!edit.title && !edit.text) return after;
    if (edit.text) TRY(check_length(*edit.text));
    LET(const std::optional<Document> now, outline.update(decision.document, edit));
    if (!now) continue;
    after.revision = now->revision;
    return after;
  }
  return fail(Cure::retry, "conflict",
              "somebody else changed the document each of " + std::to_string(kConflicts + 1) +
                  " times between our look and our change");
}

void look_at_title(const Document& document, Edit& edit, Decision& decision) {
  if (decision.new_title.empty() || document.title == decision.new_title) return;
  if (document.title != decision.title) {
    decision.left_alone.emplace_back("title");
    return;
  }
  edit.title = decision.new_title;
}

struct Wish {
  Block block;
  std::string_view content;
  bool had_block;
  std::string_view name;  // in left_alone
};

void look_at_block(const Wish& wish, const Document& document, Edit& edit, Decision& decision) {
  const BlockReading reading = read_block(document.text, wish.block);
  if (reading.state == BlockState::whole && reading.content == wish.content) return;
  const bool was_taken_over = reading.state == BlockState::none && wish.had_block;
  std::optional<std::string> text;
  if (!was_taken_over) text = with_block(document.text, wish.block, wish.content);
  if (!text) {
    decision.left_alone.emplace_back(wish.name);
    return;
  }
  if (*text != document.text) edit.text = std::move(text);
}

// Answers false when the document is gone.
Result<bool> posted(const std::string& document, const std::string& comment_id,
                    const std::string& text, Outline& outline) {
  TRY(outline.begin("comments.create"));
  LET(const bool is_there, outline.has_comment(comment_id));
  if (is_there) return true;
  LET(const std::optional<Document> living_one, living(document, outline));
  if (!living_one) return false;
  const Result<void> sent = outline.comment(comment_id, document, cut(text, kLongestComment));
  if (sent) return true;
  if (sent.error().cure != Cure::give_up) return std::unexpected(sent.error());
  // Refused, perhaps because the id is taken: another process of ours was faster.
  LET(const bool is_there_now, outline.has_comment(comment_id));
  if (is_there_now) return true;
  return std::unexpected(sent.error());
}

}  // namespace

std::string terms_line(const std::vector<std::string>& terms) {
  std::string line = "Search terms: ";
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0) line += ", ";
    line += terms[i];
  }
  return line;
}

Result<Decision> do_update(Decision decision, Outline& outline) {
  if (decision.new_title.empty() && decision.summary.empty()) return decision;
  const Look look = [&](const Document& document, Edit& edit, Decision& after) {
    look_at_title(document, edit, after);
    if (after.summary.empty()) return;
    look_at_block({.block = Block::summary,
                   .content = decision.summary,
                   .had_block = decision.had_summary,
                   .name = "summary"},
                  document, edit, after);
  };
  LET(std::optional<Decision> after, edited(decision, outline, look));
  if (!after) return gone();
  return *std::move(after);
}

Result<Decision> do_terms(Decision decision, Outline& outline) {
  if (decision.terms.empty()) return decision;
  const std::string line = terms_line(decision.terms);
  const Look look = [&](const Document& document, Edit& edit, Decision& after) {
    look_at_block(
        {.block = Block::terms, .content = line, .had_block = decision.had_terms, .name = "terms"},
        document, edit, after);
  };
  LET(std::optional<Decision> after, edited(decision, outline, look));
  if (!after) return gone();
  return *std::move(after);
}

Result<Decision> do_move(Decision decision, Outline& outline) {
  if (decision.move_to.empty()) return decision;
  TRY(outline.begin("documents.move"));
  LET(const std::optional<Document> document, living(decision.document, outline));
  if (!document) return gone();
  decision.revision = document->revision;
  if (document->collection == decision.move_to) return decision;
  if (document->collection != decision.collection) {
    decision.left_alone.emplace_back("move");
    return decision;
  }
  TRY(outline.move(decision.document, decision.move_to));
  return decision;
}

Result<Decision> do_unmark(Decision decision, Outline& outline) {
  Command asked_back = decision.command;
  asked_back.is_uncertain = true;
  const Look look = [&](const Document& document, Edit& edit, Decision& after) {
    after.is_unmarked = true;
    std::optional<std::string> text = decision.mark == Mark::remove
                                          ? without(document.text, decision.command)
                                          : replaced(document.text, decision.command, asked_back);
    if (text && *text != document.text) edit.text = std::move(text);
  };
  LET(std::optional<Decision> after, edited(decision, outline, look));
  if (after) return *std::move(after);
  leave_document(decision);
  return decision;
}

Result<Decision> do_comment(Decision decision, const std::string& comment_id, Outline& outline) {
  if (decision.comment.empty()) return decision;
  LET(const bool is_there, posted(decision.document, comment_id, comment_text(decision), outline));
  if (!is_there) leave_document(decision);
  return decision;
}

Result<void> post_notice(const std::string& document, const std::string& comment_id,
                         const std::string& text, Outline& outline) {
  TRY(posted(document, comment_id, text, outline));
  return {};
}

}  // namespace tidemill::docs
