// Languages written as locales: pt_BR is pt-BR.
//
// A language tag has hyphens where the name of a locale has underscores, and is the same otherwise.
// Whatever else is wrong with a tag has no one answer.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// The locale as a tag; nothing: it is no locale of a language and a country or script.
std::optional<std::string> tag_of(std::string_view locale) {
  if (!locale.contains('_')) return std::nullopt;
  std::string tag(locale);
  std::ranges::replace(tag, '_', '-');
  if (!is_language_tag(tag) || tag.find('-') > 3) return std::nullopt;
  return tag;
}

bool is_language_attribute(std::string_view name) {
  return name == "lang" || name == "xml:lang" || name == "hreflang";
}

void mend_attributes(std::string_view document, const Scanned& piece, XmlEdit& edit) {
  for (const ScannedAttribute& one : piece.attributes) {
    if (!is_language_attribute(one.name.in(document))) continue;
    if (const auto tag = tag_of(one.value.in(document))) edit.replace(one.value, *tag);
  }
}

// <dc:language>pt_BR</dc:language>, of the package document.
void mend_text(std::string_view document, Span text, XmlEdit& edit) {
  const std::string_view written = text.in(document);
  if (const auto tag = tag_of(trimmed(written))) edit.replace(text, *tag);
}

}  // namespace

void mend_languages(const Inspection& found, Draft& draft, Plan& plan) {
  std::vector<std::string> entries = entries_with(found, "RSC-005", "lang");
  std::ranges::move(entries_with(found, "OPF-092"), std::back_inserter(entries));
  for (const std::string& entry : std::set(entries.begin(), entries.end())) {
    const auto correct = [](std::string_view document, XmlEdit& edit) {
      bool is_language = false;
      for (const Scanned& piece : scan(document)) {
        if (piece.kind == Scanned::Kind::text && is_language) {
          mend_text(document, piece.whole, edit);
        }
        is_language =
            piece.kind == Scanned::Kind::start && piece.name.in(document) == "dc:language";
        mend_attributes(document, piece, edit);
      }
    };
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "languages",
                .mends = {"OPF-092", "RSC-005"},
                .entry = entry,
                .what = "languages are written with hyphens, not underscores"},
               correct);
  }
}

}  // namespace tidemill::epub
