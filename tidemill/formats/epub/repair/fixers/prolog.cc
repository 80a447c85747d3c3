// The prolog of a document: white space before the XML declaration, XML 1.1, a second declaration,
// a document type in lower case or one that the edition does not allow.
//
// None of it affects what a reader sees. EPUB 3 has one document type for XHTML, EPUB 2 another;
// other documents need none. A document type with declarations stays, because they may be used.
#include <set>
#include <string>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

constexpr std::string_view kDoctype = "<!DOCTYPE";
constexpr std::string_view kXhtml11 =
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" "
    "\"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd\">";

// Everything before the first tag.
std::string_view prolog_of(std::string_view document) {
  std::size_t at = document.find('<');
  while (at != std::string_view::npos && at + 1 < document.size() &&
         !is_name_start(document[at + 1])) {
    at = document.find('<', at + 1);
  }
  return document.substr(0, at);
}

// The value of version="…" in the declaration.
void correct_declaration(std::string_view prolog, std::size_t begin, XmlEdit& edit) {
  const std::string_view declaration = prolog.substr(begin, prolog.find("?>", begin) - begin);
  const std::size_t version = declaration.find("1.1");
  if (version != std::string_view::npos && declaration.find("version") < version) {
    edit.replace({begin + version, begin + version + 3}, "1.0");
  }
  const std::size_t standalone = declaration.find(" standalone");
  if (standalone == std::string_view::npos) return;
  const std::string_view rest = declaration.substr(standalone);
  if (rest.contains("yes") || rest.contains("no")) return;
  edit.remove({begin + standalone, begin + declaration.size()});
}

// Two hyphens in a comment, and one at its end. Readers of the book never see comments.
void correct_comments(std::string_view document, XmlEdit& edit) {
  for (const Scanned& piece : scan(document)) {
    if (piece.kind != Scanned::Kind::comment || piece.whole.end - piece.whole.begin < 7) continue;
    const std::size_t end = piece.whole.end - 3;
    for (std::size_t at = piece.whole.begin + 4; at < end; ++at) {
      if (document[at] == '-' && document[at + 1] == '-') edit.insert(at + 1, " ");
    }
  }
}

void correct_declarations(std::string_view prolog, XmlEdit& edit) {
  constexpr std::string_view kBegin = "<?xml ";
  const std::size_t mark = prolog.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const std::size_t first = prolog.find(kBegin);
  if (first == std::string_view::npos) return;
  if (first > mark && is_blank(prolog.substr(mark, first - mark))) edit.remove({mark, first});
  correct_declaration(prolog, first, edit);
  // An XML declaration has a meaning only at the very start.
  for (std::size_t next = prolog.find(kBegin, first + 1); next != std::string_view::npos;
       next = prolog.find(kBegin, next + 1)) {
    const std::size_t end = prolog.find("?>", next);
    if (end == std::string_view::npos) return;
    edit.remove({next, end + 2});
  }
}

// The document type, ignoring case; empty: there is none, or it has declarations.
Span doctype_in(std::string_view prolog) {
  const std::size_t begin = lowered(prolog).find("<!doctype");
  const std::size_t end = prolog.find('>', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  const Span span(begin, end + 1);
  return span.in(prolog).contains('[') ? Span{} : span;
}

std::string right_doctype(const Inspection& found, std::string_view entry,
                          std::string_view doctype) {
  const Item* item = found.package.item_at(entry);
  const bool is_xhtml = item != nullptr && item->media_type == kXhtmlType;
  if (is_xhtml && found.edition() == Edition::epub2) return std::string(kXhtml11);
  std::string_view rest = doctype.substr(kDoctype.size());
  std::string_view name = next_word(rest);
  if (name.ends_with('>')) name.remove_suffix(1);
  return std::string(kDoctype) + " " + (is_xhtml ? "html" : std::string(name)) + ">";
}

void correct(const Inspection& found, const std::string& entry, bool has_wrong_type,
             std::string_view document, XmlEdit& edit) {
  const std::string_view prolog = prolog_of(document);
  correct_declarations(prolog, edit);
  correct_comments(document, edit);
  const Span doctype = doctype_in(prolog);
  if (doctype.end == 0) return;
  if (has_wrong_type) {
    edit.replace(doctype, right_doctype(found, entry, doctype.in(prolog)));
  } else if (!doctype.in(prolog).starts_with(kDoctype)) {
    edit.replace({doctype.begin, doctype.begin + kDoctype.size()}, std::string(kDoctype));
  }
}

}  // namespace

void fix_prolog(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  std::set<std::string> entries;
  std::set<std::string> with_wrong_type;
  for (const RuleId rule : {RuleId("HTM-001"), RuleId("HTM-004"), RuleId("OPF-073"),
                            RuleId("HTM-009"), RuleId("RSC-016")}) {
    const bool is_type = rule != RuleId("RSC-016") && rule != RuleId("HTM-001");
    for (const std::string& entry : entries_with(found, rule)) {
      entries.insert(entry);
      if (is_type) with_wrong_type.insert(entry);
    }
  }
  for (const std::string& entry : entries) {
    edit_entry(draft, plan,
               {.name = "prolog",
                .repairs = {"HTM-001", "HTM-004", "OPF-073", "RSC-016"},
                .entry = entry,
                .what = "correct the XML declaration, the document type and comments"},
               [&](std::string_view document, XmlEdit& edit) {
                 correct(found, entry, with_wrong_type.contains(entry), document, edit);
               });
  }
}

}  // namespace tidemill::epub
