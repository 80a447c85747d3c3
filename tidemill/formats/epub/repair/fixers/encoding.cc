// Documents in an encoding other than UTF-8, or that declare one.
//
// ASCII bytes are the same in both; text with bytes beyond ASCII that is valid UTF-8 is UTF-8, as
// in another encoding it would be garbage. In these cases the declaration is wrong. UTF-16 with a
// byte order mark, and ISO-8859-1 without bytes that are printable only in windows-1252, are
// converted: each character has one code in both. Everything else is left unchanged.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

// The value of encoding="…" in <?xml …?>; empty: none.
Span declared_encoding(std::string_view document) {
  const std::size_t begin = document.starts_with("\xef\xbb\xbf") ? 3 : 0;
  if (!document.substr(begin).starts_with("<?xml")) return {};
  const std::string_view head = document.substr(0, document.find("?>", begin));
  std::size_t at = head.find("encoding");
  if (at == std::string_view::npos) return {};
  at = head.find_first_of("\"'", at);
  if (at == std::string_view::npos) return {};
  const std::size_t end = head.find(head[at], at + 1);
  return end == std::string_view::npos ? Span{} : Span{at + 1, end};
}

void fix_document(const std::string& entry, BookDraft& draft, RepairPlan& plan) {
  const auto document = draft.contents(entry);
  if (!document) return;
  std::string converted = utf8_of_document(*document);
  const Span declared = declared_encoding(converted);
  if (!text::is_utf8(converted)) {
    plan.declined.push_back(
        {.rule = "RSC-028", .entry = entry, .why = "the encoding of its bytes is not certain"});
    return;
  }
  if (declared.end > 0) converted.replace(declared.begin, declared.end - declared.begin, "UTF-8");
  if (converted == *document) return;
  draft.rewrite(entry, std::move(converted));
  plan.changes.push_back({.name = "encoding",
                          .repairs = {"RSC-028", "RSC-027", "HTM-058"},
                          .entry = entry,
                          .what = "convert the document to UTF-8 and declare it"});
}

// <meta charset="…"> and <meta http-equiv="Content-Type" content="…; charset=…">.
bool is_charset(std::string_view document, const Scanned& piece) {
  return local_name(piece.name.in(document)) == "meta" &&
         piece.attribute(document, "charset") != nullptr;
}

// <meta http-equiv="Content-Type" …>, which duplicates <meta charset> and must not occur with it.
bool is_content_type(std::string_view document, const Scanned& piece) {
  const auto* name = piece.attribute(document, "http-equiv");
  return piece.kind == Scanned::Kind::empty && name != nullptr &&
         same_in_any_case(name->value.in(document), "content-type");
}

void correct_meta(std::string_view document, XmlEdit& edit) {
  const auto pieces = scan(document);
  const bool has_any = std::ranges::any_of(
      pieces, [&](const Scanned& piece) { return is_charset(document, piece); });
  bool has_charset = false;
  for (const Scanned& piece : pieces) {
    if (local_name(piece.name.in(document)) != "meta") continue;
    if (has_any && is_content_type(document, piece)) {
      edit.remove(piece.whole);
      continue;
    }
    if (const auto* charset = piece.attribute(document, "charset")) {
      if (has_charset && piece.kind == Scanned::Kind::empty) {
        edit.remove(piece.whole);
        continue;
      }
      has_charset = true;
      if (!same_in_any_case(charset->value.in(document), "utf-8")) {
        edit.replace(charset->value, "utf-8");
      }
    }
    const auto* content = piece.attribute(document, "content");
    if (content == nullptr || piece.attribute(document, "http-equiv") == nullptr) continue;
    const std::string_view value = content->value.in(document);
    const std::size_t at = lowered(value).find("charset=");
    if (at == std::string_view::npos || same_in_any_case(value.substr(at + 8), "utf-8")) continue;
    edit.replace({content->value.begin + at + 8, content->value.end}, "utf-8");
  }
}

}  // namespace

void fix_encoding(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const RuleId rule : {RuleId("RSC-028"), RuleId("RSC-027"), RuleId("HTM-058")}) {
    for (const std::string& entry : entries_with(found, rule)) fix_document(entry, draft, plan);
  }
  std::set<std::string> entries;
  for (const std::string_view word : {"charset", "Content-Type", "http-equiv"}) {
    for (const std::string& entry : entries_with(found, "RSC-005", word)) entries.insert(entry);
  }
  for (const std::string& entry : entries) {
    edit_entry(draft, plan,
               {.name = "encoding",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "correct the meta element: the document is in UTF-8"},
               [](std::string_view document, XmlEdit& edit) {
                 if (text::is_utf8(document)) correct_meta(document, edit);
               });
  }
}

}  // namespace tidemill::epub
