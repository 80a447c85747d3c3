// The fixers of attributes in content documents: languages, lengths, and SVG attributes.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// Languages written as locales: pt_BR becomes pt-BR.
//
// A language tag has hyphens where a locale name has underscores, and is the same otherwise. Other
// faults of a tag have more than one possible fix.
namespace {

// The locale as a language tag; nullopt: not a locale of a language and a country or script.
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

void fix_attributes(std::string_view document, const Scanned& piece, XmlEdit& edit) {
  for (const ScannedAttribute& one : piece.attributes) {
    if (!is_language_attribute(one.name.in(document))) continue;
    if (const auto tag = tag_of(one.value.in(document))) edit.replace(one.value, *tag);
  }
}

// <dc:language>pt_BR</dc:language> in the package document.
void fix_text(std::string_view document, Span text, XmlEdit& edit) {
  const std::string_view written = text.in(document);
  if (const auto tag = tag_of(trimmed(written))) edit.replace(text, *tag);
}

}  // namespace

void fix_languages(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  std::vector<std::string> entries = entries_with(found, "RSC-005", "lang");
  std::ranges::move(entries_with(found, "OPF-092"), std::back_inserter(entries));
  for (const std::string& entry : std::set(entries.begin(), entries.end())) {
    const auto correct = [](std::string_view document, XmlEdit& edit) {
      bool is_language = false;
      for (const Scanned& piece : scan(document)) {
        if (piece.kind == Scanned::Kind::text && is_language) {
          fix_text(document, piece.whole, edit);
        }
        is_language =
            piece.kind == Scanned::Kind::start && piece.name.in(document) == "dc:language";
        fix_attributes(document, piece, edit);
      }
    };
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "languages",
                .repairs = {"OPF-092", "RSC-005"},
                .entry = entry,
                .what = "write languages with hyphens, not underscores"},
               correct);
  }
}

// width="300px" of an image, and of the viewport of a fixed layout.
//
// The attribute is a number of pixels; HTML reads "300px" as 300, whatever follows the digits, so
// the unit can be removed. Percentages have another meaning and stay.
namespace {

bool has_size(std::string_view element) {
  static const std::unordered_set<std::string_view> kElements = {"img",    "iframe", "video",
                                                                 "object", "embed",  "canvas"};
  return kElements.contains(local_name(element));
}

void drop_unit(std::string_view document, const ScannedAttribute* attribute, XmlEdit& edit) {
  if (attribute == nullptr) return;
  std::string_view value = attribute->value.in(document);
  if (!value.ends_with("px")) return;
  value.remove_suffix(2);
  for (const char byte : value) {
    if (!is_digit(byte)) return;
  }
  if (!value.empty()) edit.replace(attribute->value, std::string(value));
}

// "width=600px, height=800px" of a meta element.
void drop_viewport_units(std::string_view document, const Scanned& piece, XmlEdit& edit) {
  const auto* name = piece.attribute(document, "name");
  const auto* content = piece.attribute(document, "content");
  if (name == nullptr || content == nullptr || name->value.in(document) != "viewport") return;
  const std::string_view value = content->value.in(document);
  for (std::size_t at = value.find("px"); at != std::string_view::npos;
       at = value.find("px", at + 2)) {
    const bool is_unit =
        at > 0 && is_digit(value[at - 1]) && (at + 2 == value.size() || !is_letter(value[at + 2]));
    const std::size_t begin = content->value.begin + at;
    if (is_unit) edit.remove({begin, begin + 2});
  }
}

}  // namespace

void fix_lengths(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", "px\"")) {
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "lengths",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "write width and height as numbers of pixels, without px"},
               [](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   if (!has_size(piece.name.in(document))) continue;
                   drop_unit(document, piece.attribute(document, "width"), edit);
                   drop_unit(document, piece.attribute(document, "height"), edit);
                 }
               });
  }
  for (const std::string& entry : entries_with(found, "HTM-057")) {
    edit_entry(draft, plan,
               {.name = "lengths",
                .repairs = {"HTM-057"},
                .entry = entry,
                .what = "write the viewport in pixels, without px"},
               [](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   drop_viewport_units(document, piece, edit);
                 }
               });
  }
}

// SVG documents of fixed layout without a viewBox: it follows from width and height in pixels.
namespace {

// A number of pixels, with or without the unit; nullopt: another unit, or no number.
std::optional<std::string> pixels(std::string_view document, const ScannedAttribute* attribute) {
  if (attribute == nullptr) return std::nullopt;
  std::string_view value = trimmed(attribute->value.in(document));
  if (value.ends_with("px")) value.remove_suffix(2);
  std::size_t points = 0;
  for (const char byte : value) {
    points += byte == '.' ? 1 : 0;
    if (!is_digit(byte) && byte != '.') return std::nullopt;
  }
  if (value.empty() || points > 1 || value.starts_with('.') || value.ends_with('.')) {
    return std::nullopt;
  }
  return std::string(value);
}

void add_view_box(std::string_view document, XmlEdit& edit) {
  const auto pieces = scan(document);
  const Scanned* root = root_of(pieces);
  if (root == nullptr || root->attribute(document, "viewBox") != nullptr) return;
  const auto width = pixels(document, root->attribute(document, "width"));
  const auto height = pixels(document, root->attribute(document, "height"));
  if (width && height)
    set_attribute(document, *root, "viewBox", "0 0 " + *width + " " + *height, edit);
}

}  // namespace

void fix_view_box(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "HTM-048")) {
    edit_entry(draft, plan,
               {.name = "view-box",
                .repairs = {"HTM-048"},
                .entry = entry,
                .what = "derive viewBox from the width and height of the drawing"},
               add_view_box);
  }
}

// enable-background on SVG shapes.
//
// The property applies to container elements only (SVG 1.1, 15.6): it has no effect on a path or a
// polygon, and EPUB 2 does not allow it there. Drawing programs write it all the same. Removing it
// makes no visible difference. On containers it stays, because a filter may use it.
namespace {

constexpr std::string_view kProperty = "enable-background";

bool is_shape(std::string_view element) {
  static const std::unordered_set<std::string_view> kShapes = {
      "path", "rect", "circle",   "ellipse", "line",  "polyline", "polygon",
      "text", "tref", "textPath", "tspan",   "image", "use"};
  return kShapes.contains(local_name(element));
}

}  // namespace

void fix_svg_background(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", kProperty)) {
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "svg-background",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "remove enable-background from shapes, where it has no effect"},
               [](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   if (!is_shape(piece.name.in(document))) continue;
                   const auto* attribute = piece.attribute(document, kProperty);
                   if (attribute != nullptr) edit.remove(attribute->whole);
                 }
               });
  }
}

}  // namespace tidemill::epub
