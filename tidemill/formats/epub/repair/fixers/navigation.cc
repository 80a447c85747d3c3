// The fixers of navigation: the navigation document of EPUB 3 and the NCX.
#include <set>
#include <string>
#include <unordered_map>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// The navigation document of EPUB 3: which item it is, and its lists.
//
// Exactly one item has the property nav, and its document has a nav element of the type toc. If
// exactly one document of the book has such an element, it is the navigation document. The lists in
// the element must be ordered (ol); no other kind is allowed.
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
std::set<std::string> with_contents(const Inspection& found, const BookDraft& draft) {
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

void name_the_only(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  std::size_t named = 0;
  for (const Item& item : found.package.items) named += item.has("nav") ? 1 : 0;
  if (named == 1) return;
  const std::set<std::string> ids = with_contents(found, draft);
  if (ids.size() != 1) return;
  edit_package(found, draft, plan,
               {.name = "nav",
                .repairs = {"RSC-005"},
                .what = "make the only document with a table of contents the navigation document"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "item")) continue;
                   const std::string properties = pieces.value(piece, "properties");
                   const bool is_the_one = ids.contains(pieces.value(piece, "id"));
                   if (is_the_one == has_word(properties, "nav")) continue;
                   set_words(pieces.document(), piece, "properties",
                             words_for(properties, is_the_one), edit);
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

void fix_nav(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (found.edition() != Edition::epub3 || !found.package.is_read) return;
  if (!entries_with(found, "RSC-005", "nav items").empty()) name_the_only(found, draft, plan);
  for (const std::string& entry : entries_with(found, "RSC-005", "\"ul\"")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || !item->has("nav")) continue;
    edit_entry(draft, plan,
               {.name = "nav",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "turn the lists of the navigation into ordered lists"},
               order_lists);
  }
}

// The identifier in the NCX is a copy of the one in the package document: if they differ, the copy
// is wrong.
namespace {

// Adds the identifier to a head without meta elements.
void add_uid(std::string_view document, std::string_view identifier, XmlEdit& edit) {
  const auto pieces = scan(document);
  const Scanned* head = nullptr;
  for (const Scanned& piece : pieces) {
    const std::string_view name = local_name(piece.name.in(document));
    if (name == "meta") return;
    if (name == "head" && piece.kind == Scanned::Kind::start) head = &piece;
  }
  if (head == nullptr || head->name.in(document) != "head") return;
  edit.insert(head->whole.end,
              "<meta name=\"dtb:uid\" content=\"" + escaped_value(identifier) + "\"/>");
}

}  // namespace

void fix_ncx_uid(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const std::string_view identifier = trimmed(found.package.identifier);
  for (const std::string& entry : entries_with(found, "RSC-005", "\"head\"")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || item->media_type != kNcxType || identifier.empty()) continue;
    edit_entry(
        draft, plan,
        {.name = "ncx-uid",
         .repairs = {"RSC-005"},
         .entry = entry,
         .what = "add the missing dtb:uid to the head"},
        [&](std::string_view document, XmlEdit& edit) { add_uid(document, identifier, edit); });
  }
  for (const std::string& entry : entries_with(found, "NCX-001")) {
    if (identifier.empty()) {
      plan.declined.push_back(
          {.rule = "NCX-001", .entry = entry, .why = "the package document has no identifier"});
      continue;
    }
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "ncx-uid",
                .repairs = {"NCX-001"},
                .entry = entry,
                .what = "set dtb:uid to the identifier of the package document"},
               [&](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   if (local_name(piece.name.in(document)) != "meta") continue;
                   const auto* name = piece.attribute(document, "name");
                   const auto* content = piece.attribute(document, "content");
                   if (name == nullptr || content == nullptr) continue;
                   if (name->value.in(document) != "dtb:uid") continue;
                   edit.replace(content->value, escaped_value(identifier));
                 }
               });
  }
}

// playOrder in the NCX: numbers the targets in reading order, from 1; the same target always has
// the same number.
//
// The reading order of a navMap is its document order, which gives the numbers. With a list of
// pages or figures beside it, the NCX does not show how the targets of both interleave, so the
// numbers stay.
namespace {

bool has_other_lists(std::string_view document) {
  for (const Scanned& piece : scan(document)) {
    const std::string_view name = local_name(piece.name.in(document));
    if (name == "pageTarget" || name == "navTarget") return true;
  }
  return false;
}

void renumber(std::string_view document, XmlEdit& edit) {
  std::unordered_map<std::string, std::size_t> numbers;  // by target
  const ScannedAttribute* order = nullptr;               // of the navPoint whose content follows
  const auto pieces = scan(document);
  for (const Scanned& piece : pieces) {
    const std::string_view name = local_name(piece.name.in(document));
    if (piece.kind == Scanned::Kind::end) continue;
    if (name == "navPoint") order = piece.attribute(document, "playOrder");
    const auto* source = piece.attribute(document, "src");
    if (name != "content" || source == nullptr || order == nullptr) continue;
    const auto next = numbers.size() + 1;
    const std::size_t number =
        numbers.try_emplace(resolved_value(source->value.in(document)), next).first->second;
    const std::string text = std::to_string(number);
    if (order->value.in(document) != text) edit.replace(order->value, text);
    order = nullptr;
  }
}

}  // namespace

void fix_play_order(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", "playOrder")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || item->media_type != kNcxType) continue;
    const auto document = draft.contents(entry);
    if (document && has_other_lists(*document)) {
      plan.declined.push_back({.rule = "RSC-005",
                               .entry = entry,
                               .why = "the order of pages among chapters is not known"});
      continue;
    }
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "play-order",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "renumber playOrder in the order of the document"},
               renumber);
  }
}

}  // namespace tidemill::epub
