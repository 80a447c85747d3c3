// The navigation document of EPUB 3: which item it is, and its lists.
//
// Exactly one item has the property nav, and its document has a nav element of the type toc. When
// exactly one document of the book has such an element, that is the one. The lists in such an
// element are ordered ones (ol): there is no other kind that they could be.
#include <set>
#include <string>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_nav(std::string_view document, const Scanned& piece) {
  return piece.kind == Scanned::Kind::start && local_name(piece.name.in(document)) == "nav" &&
         piece.attribute(document, "epub:type") != nullptr;
}

bool has_contents(std::string_view document) {
  for (const Scanned& piece : scan(document)) {
    if (!is_nav(document, piece)) continue;
    if (has_word(piece.attribute(document, "epub:type")->value.in(document), "toc")) return true;
  }
  return false;
}

// The ids of the items that could be the navigation document.
std::set<std::string> with_contents(const Inspection& found, const Draft& draft) {
  std::set<std::string> ids;
  for (const Item& item : found.package.items) {
    if (item.media_type != kXhtmlType || item.is_remote) continue;
    const auto document = draft.contents(item.path);
    if (document && has_contents(*document)) ids.insert(item.id);
  }
  return ids;
}

std::string words_for(const std::string& properties, bool is_the_one) {
  std::string words = is_the_one ? "nav" : "";
  for (const std::string_view word : words_of(properties)) {
    if (word != "nav") words += (words.empty() ? "" : " ") + std::string(word);
  }
  return words;
}

void name_the_only(const Inspection& found, Draft& draft, Plan& plan) {
  std::size_t named = 0;
  for (const Item& item : found.package.items) named += item.has("nav") ? 1 : 0;
  if (named == 1) return;
  const std::set<std::string> ids = with_contents(found, draft);
  if (ids.size() != 1) return;
  edit_package(
      found, draft, plan,
      {.name = "nav",
       .mends = {"RSC-005"},
       .what = "the only document with a table of contents becomes the navigation document"},
      [&](const PackagePieces& pieces, XmlEdit& edit) {
        for (const Scanned& piece : pieces.all()) {
          if (!pieces.is_element(piece, "item")) continue;
          const std::string properties = pieces.value(piece, "properties");
          const bool is_the_one = ids.contains(pieces.value(piece, "id"));
          if (is_the_one == has_word(properties, "nav")) continue;
          set_words(pieces.document(), piece, "properties", words_for(properties, is_the_one),
                    edit);
        }
      });
}

void order_lists(std::string_view document, XmlEdit& edit) {
  bool is_inside = false;
  for (const Scanned& piece : scan(document)) {
    const std::string_view name = piece.name.in(document);
    const bool is_end = piece.kind == Scanned::Kind::end;
    if (local_name(name) == "nav") is_inside = is_nav(document, piece);
    if (is_inside && local_name(name) == "ul" && (is_end || piece.kind == Scanned::Kind::start)) {
      edit.replace({piece.name.end - 2, piece.name.end}, "ol");
    }
  }
}

}  // namespace

void mend_nav(const Inspection& found, Draft& draft, Plan& plan) {
  if (found.edition() != Edition::epub3 || !found.package.is_read) return;
  if (!entries_with(found, "RSC-005", "nav items").empty()) name_the_only(found, draft, plan);
  for (const std::string& entry : entries_with(found, "RSC-005", "\"ul\"")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || !item->has("nav")) continue;
    edit_entry(draft, plan,
               {.name = "nav",
                .mends = {"RSC-005"},
                .entry = entry,
                .what = "the lists of the navigation become ordered lists"},
               order_lists);
  }
}

}  // namespace tidemill::epub
