// Style sheets that end in the middle of a rule, and style sheets in an encoding other than UTF-8.
//
// By the CSS specification the end of the file closes every open construct, so writing the closing
// characters keeps the meaning. An open string stays: a line break has ended it before.
#include <set>
#include <string>
#include <utility>

#include "tidemill/formats/epub/css/encoding.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

// The position of the quote that ends the string beginning there; past the end: none.
std::size_t end_of_string(std::string_view css, std::size_t begin) {
  for (std::size_t at = begin + 1; at < css.size(); ++at) {
    if (css[at] == css[begin]) return at;
    if (css[at] == '\\') ++at;
  }
  return css.size();
}

// The text that closes every construct open at the end; also empty if the sheet ends in a string.
std::string closing(std::string_view css) {
  std::string open;
  for (std::size_t at = 0; at < css.size(); ++at) {
    const char byte = css[at];
    if (css.substr(at).starts_with("/*")) {
      at = css.find("*/", at + 2);
      if (at == std::string_view::npos) return "*/" + open;
      ++at;
    } else if (byte == '\\') {
      ++at;
    } else if (byte == '"' || byte == '\'') {
      at = end_of_string(css, at);
      if (at >= css.size()) return {};
    } else if (byte == '{') {
      open += '}';
    } else if (byte == '}' && !open.empty()) {
      open.pop_back();
    }
  }
  return open;
}

// Corrects @charset if the bytes are UTF-8 already or can be converted.
void convert(const std::string& entry, BookDraft& draft, RepairPlan& plan) {
  const auto bytes = draft.contents(entry);
  if (!bytes) return;
  const CssEncoding encoding = encoding_of_css(*bytes);
  std::string css = utf8_of_css(*bytes, encoding);
  if (!text::is_utf8(css) && encoding.name == "iso-8859-1") css = utf8_of_latin1(css);
  const CssEncoding declared = encoding_of_css(css);
  const std::size_t name = css.find_first_of("\"'");
  if (!text::is_utf8(css)) {
    plan.declined.push_back(
        {.rule = "CSS-004", .entry = entry, .why = "the encoding of its bytes is not certain"});
    return;
  }
  if (css.starts_with("@charset")) css.replace(name + 1, declared.name.size(), "utf-8");
  if (css == *bytes) return;
  draft.rewrite(entry, std::move(css));
  plan.changes.push_back({.name = "style-sheets",
                          .repairs = {"CSS-003", "CSS-004"},
                          .entry = entry,
                          .what = "convert the style sheet to UTF-8 and declare it"});
}

}  // namespace

void fix_style_sheets(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const RuleId rule : {RuleId("CSS-003"), RuleId("CSS-004")}) {
    for (const std::string& entry : entries_with(found, rule)) convert(entry, draft, plan);
  }
  for (const std::string& entry : entries_with(found, "CSS-008")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || item->media_type != kCssType) continue;
    edit_entry(draft, plan,
               {.name = "style-sheets",
                .repairs = {"CSS-008"},
                .entry = entry,
                .what = "close unclosed blocks at the end"},
               [](std::string_view css, XmlEdit& edit) {
                 const std::string end = closing(css);
                 if (!end.empty()) edit.insert(css.size(), end);
               });
  }
}

}  // namespace tidemill::epub
