// Documents that say they are in another encoding than UTF-8, and are in UTF-8.
//
// Bytes that are all ASCII are the same in both; bytes beyond ASCII that form UTF-8 throughout do
// so because they are UTF-8: in another encoding they would be noise. So the declaration is what is
// wrong. When the bytes are not UTF-8 the document is left: what it says may be true.
#include <string>

#include "tidemill/book/fixers_list.h"
#include "tidemill/book/fixers_text.h"
#include "tidemill/text/utf8.h"

namespace tidemill::book {
namespace {

// The value of encoding="…" in <?xml …?>; empty: there is none.
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

}  // namespace

void mend_encoding(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-028")) {
    bool is_left = false;
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "encoding",
                .mends = {"RSC-028"},
                .entry = entry,
                .what = "the declared encoding becomes UTF-8, which the document is in"},
               [&](std::string_view document, XmlEdit& edit) {
                 const Span declared = declared_encoding(document);
                 is_left = declared.end == 0 || !text::is_utf8(document);
                 if (!is_left) edit.replace(declared, "UTF-8");
               });
    if (!is_left) continue;
    plan.declined.push_back({.rule = "RSC-028",
                             .entry = entry,
                             .why = "its bytes are not UTF-8: it would have to be converted"});
  }
}

}  // namespace tidemill::book
