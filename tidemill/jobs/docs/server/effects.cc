// The effects of a decision: read the document, check what is still to do, apply it under the
// revision just read.
#include <algorithm>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/plan.h"
#include "tidemill/jobs/docs/server/planted_outline.h"

namespace tidemill::docs {
namespace {

constexpr int kMostLines = 100;  // of one command in one document

Result<std::optional<OutlineDocument>> living(const std::string& id, Outline& outline) {
  auto answer = outline.document(id);
  if (!answer) return answer;
  const std::optional<OutlineDocument>& document = *answer;
  if (document && document->is_gone) return std::nullopt;
  return answer;
}

void leave_alone(Decision& decision, std::string_view what) {
  auto& left = decision.left_alone;
  if (std::ranges::find(left, what) == left.end()) left.emplace_back(what);
}

std::unexpected<Failure> gone() {
  return fail(Cure::give_up, "document", "it is missing, deleted or archived");
}

// UTF-16 units, as the server counts: a character beyond U+FFFF is two. Continuation bytes count
// zero.
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

// Shortens to at most `most` units, between characters, and appends an ellipsis.
std::string cut(std::string_view text, std::size_t most) {
  if (units_of(text) <= most) return std::string(text);
  std::size_t units = 1;  // the ellipsis
  std::size_t end = 0;
  while (end < text.size() && units + units_of(text[end]) <= most) units += units_of(text[end++]);
  return std::string(text.substr(0, end)) + "…";
}

std::string comment_text(const Decision& decision) {
  std::string note;
  for (const std::string& what : decision.left_alone) {
    note +=
        (note.empty() ? "\n\nNot changed, because somebody edited it in the meantime: " : ", ") +
        what;
  }
  if (!note.empty()) note += ".";
  const std::size_t taken = std::min(units_of(note), kLongestComment);
  return cut(decision.comment, kLongestComment - taken) + note;
}

Result<void> check_length(const OutlineDocument& document, const TextEdit& edit) {
  const std::size_t bytes = document.text.size() + edit.text.size();
  if (bytes <= kLongestText) return {};
  const std::size_t units = units_of(document.text) + units_of(edit.text) - units_of(edit.find);
  if (units <= kLongestText) return {};
  return fail(Cure::give_up, "text",
              "it would be " + std::to_string(units) +
                  " characters long; the limit of the server is " + std::to_string(kLongestText));
}

enum class Then : std::uint8_t { enough, look_again };  // what to do after the change

// Inspects the document and fills in `title` or `text` of the edit. Notes what is left alone in the
// decision, of which each call gets a fresh copy.
using Look = std::function<Result<Then>(const OutlineDocument&, Edit&, Decision&)>;

struct Editing {
  const Decision& decision;
  Outline& outline;
  const Look& look;
};

std::unexpected<Failure> not_found_again() {
  return fail(Cure::give_up, "patch",
              "the server cannot find the text that it returned for the document");
}

// Empty if the document is gone.
Result<std::optional<Decision>> edited(const Editing& editing) {
  const std::string& id = editing.decision.document;
  TRY(editing.outline.begin("documents.update"));
  std::optional<OutlineDocument> seen;  // the server's answer to our last change
  std::optional<OutlineDocument> missed_in;
  int conflicts = 0;
  for (int changes = 0; conflicts <= kConflicts && changes < kMostLines;) {
    if (!seen) {
      LET(seen, living(id, editing.outline));
    }
    if (!seen) return std::nullopt;
    const OutlineDocument document = std::move(*seen);
    seen.reset();
    if (missed_in && missed_in->text == document.text) return not_found_again();
    Decision after = editing.decision;
    after.revision = document.revision;
    after.updated_at = document.updated_at;
    Edit edit;
    edit.last_revision = document.revision;
    LET(const Then then, editing.look(document, edit, after));
    if (!edit.title && !edit.text) return after;
    if (edit.text) TRY(check_length(document, *edit.text));
    LET(Updated now, editing.outline.update(id, edit));
    if (now.how == Updated::How::done) {
      ++changes;
      after.revision = now.document.revision;
      after.updated_at = now.document.updated_at;
      if (then == Then::enough) return after;
      seen = std::move(now.document);
    } else {
      ++conflicts;
      if (now.how == Updated::How::missed) missed_in = document;
    }
  }
  return fail(Cure::retry, "conflict",
              "somebody else changed the document during each of " +
                  std::to_string(kConflicts + 1) + " attempts");
}

void look_at_title(const OutlineDocument& document, Edit& edit, Decision& decision) {
  if (decision.new_title.empty() || document.title == decision.new_title) return;
  if (document.title != decision.title) return leave_alone(decision, "title");
  edit.title = decision.new_title;
}

TextEdit patched(Patch patch) {
  return {
      .mode = TextEdit::Mode::patch, .find = std::move(patch.find), .text = std::move(patch.text)};
}

struct WantedBlock {
  MarkedBlock block;
  std::string_view content;
  bool had_block;
  std::string_view name;  // in left_alone
};

// If a request that we assumed lost arrived late, the block occurs twice: removes one.
std::optional<Patch> without_double(std::string_view text, MarkedBlock block) {
  const BlockReading reading = read_block(text, block);
  if (reading.state != BlockState::doubled) return std::nullopt;
  return patch_of(text, reading.range, "");
}

bool is_what_we_wrote(std::string_view seen, std::string_view ours) {
#ifdef TIDEMILL_PLANT
  if (is_planted("byte-by-byte")) return seen == ours;
#endif
  return is_same(seen, ours);
}

Then look_at_block(const WantedBlock& wanted, const OutlineDocument& document, Edit& edit,
                   Decision& decision) {
  if (auto patch = without_double(document.text, wanted.block)) {
    edit.text = patched(*std::move(patch));
    return Then::look_again;
  }
  const BlockReading reading = read_block(document.text, wanted.block);
  const bool is_whole = reading.state == BlockState::whole;
  if (is_whole && is_what_we_wrote(reading.content, wanted.content)) return Then::enough;
  if (reading.state == BlockState::none && !wanted.had_block) {
    const std::string block = framed(wanted.block, wanted.content);
    edit.text = wanted.block == MarkedBlock::summary
                    ? TextEdit{.mode = TextEdit::Mode::prepend, .text = block + "\n\n"}
                    : TextEdit{.mode = TextEdit::Mode::append, .text = "\n\n" + block};
    return Then::enough;
  }
  std::optional<Patch> patch;
  if (is_whole) {
    patch = patch_of(document.text, reading.range, framed(wanted.block, wanted.content));
  }
  if (patch) {
    edit.text = patched(*std::move(patch));
  } else {
    leave_alone(decision, wanted.name);
  }
  return Then::enough;
}

bool is_of(const Comment& comment, const std::string& document) {
  return comment.document == document;
}

std::unexpected<Failure> of_another(const std::string& comment_id) {
  return fail(Cure::give_up, "comment",
              "a comment with the id " + comment_id + " is on another document");
}

enum class Said : std::uint8_t { yes, deleted, document_is_gone };

Result<Said> posted(const std::string& document, const std::string& comment_id,
                    const std::string& text, Outline& outline) {
  TRY(outline.begin("comments.create"));
  LET(const std::optional<Comment> before, outline.comment(comment_id));
  if (before) {
    if (!is_of(*before, document)) return of_another(comment_id);
    return Said::yes;
  }
  LET(const std::optional<OutlineDocument> living_one, living(document, outline));
  if (!living_one) return Said::document_is_gone;
  LET(const Posted how, outline.post_comment(comment_id, document, cut(text, kLongestComment)));
  if (how == Posted::now) return Said::yes;
  // Another process of ours has posted it, or a user has deleted it.
  LET(const std::optional<Comment> now, outline.comment(comment_id));
  if (!now) return Said::deleted;
  if (!is_of(*now, document)) return of_another(comment_id);
  return Said::yes;
}

Result<Decision> commented(Decision decision, const std::string& comment_id, Outline& outline) {
  if (decision.comment.empty()) return decision;
  LET(const Said said, posted(decision.document, comment_id, comment_text(decision), outline));
  if (said == Said::document_is_gone) leave_alone(decision, "document");
  if (said == Said::deleted) leave_alone(decision, "comment");
  return decision;
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
  const Look look = [&](const OutlineDocument& document, Edit& edit,
                        Decision& after) -> Result<Then> {
    look_at_title(document, edit, after);
    if (after.summary.empty()) return Then::enough;
    return look_at_block({.block = MarkedBlock::summary,
                          .content = decision.summary,
                          .had_block = decision.had_summary,
                          .name = "summary"},
                         document, edit, after);
  };
  LET(std::optional<Decision> after,
      edited({.decision = decision, .outline = outline, .look = look}));
  if (!after) return gone();
  return *std::move(after);
}

Result<Decision> do_terms(Decision decision, Outline& outline) {
  if (decision.terms.empty()) return decision;
  const std::string line = terms_line(decision.terms);
  const Look look = [&](const OutlineDocument& document, Edit& edit,
                        Decision& after) -> Result<Then> {
    return look_at_block({.block = MarkedBlock::terms,
                          .content = line,
                          .had_block = decision.had_terms,
                          .name = "terms"},
                         document, edit, after);
  };
  LET(std::optional<Decision> after,
      edited({.decision = decision, .outline = outline, .look = look}));
  if (!after) return gone();
  return *std::move(after);
}

Result<Decision> do_move(Decision decision, Outline& outline) {
  if (decision.move_to.empty()) return decision;
  TRY(outline.begin("documents.move"));
  LET(const std::optional<OutlineDocument> document, living(decision.document, outline));
  if (!document) return gone();
  decision.revision = document->revision;
  decision.updated_at = document->updated_at;
  if (document->collection == decision.move_to) return decision;
  if (document->collection != decision.collection || document->parent != decision.parent) {
    leave_alone(decision, "move");
    return decision;
  }
  TRY(outline.move(decision.document, decision.move_to));
  return decision;
}

Result<Decision> do_unmark(Decision decision, Outline& outline) {
  const Look look = [&](const OutlineDocument& document, Edit& edit,
                        Decision& after) -> Result<Then> {
    for (const MarkedBlock block : {MarkedBlock::summary, MarkedBlock::terms}) {
      const bool is_ours =
          block == MarkedBlock::summary ? !decision.summary.empty() : !decision.terms.empty();
      auto patch = is_ours ? without_double(document.text, block) : std::nullopt;
      if (!patch) continue;
      edit.text = patched(*std::move(patch));
      return Then::look_again;
    }
    LinePatch line = decision.mark == CommandMark::remove
                         ? without(document.text, decision.command)
                         : asked_back(document.text, decision.command);
    after.is_unmarked = true;
    if (!line.is_there) return Then::enough;
    if (!line.patch) return cannot_remove_line();
    edit.text = patched(*std::move(line.patch));
    return Then::look_again;  // the line may occur more than once
  };
  LET(std::optional<Decision> after,
      edited({.decision = decision, .outline = outline, .look = look}));
  if (after) return *std::move(after);
  leave_alone(decision, "document");
  return decision;
}

std::unexpected<Failure> cannot_remove_line() {
  return fail(Cure::give_up, "line",
              "the text of the command also occurs further up in the document, and the server "
              "would change that; move the command above it");
}

Result<Decision> do_answer(Decision decision, const std::string& comment_id, Outline& outline) {
  if (!decision.is_answer()) return decision;
  return commented(std::move(decision), comment_id, outline);
}

Result<Decision> do_comment(Decision decision, const std::string& comment_id, Outline& outline) {
  if (decision.is_answer()) return decision;
  return commented(std::move(decision), comment_id, outline);
}

Result<void> post_notice(const std::string& document, const std::string& comment_id,
                         const std::string& text, Outline& outline) {
  TRY(posted(document, comment_id, text, outline));
  return {};
}

}  // namespace tidemill::docs
