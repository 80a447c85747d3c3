// width="300px" of an image, and of the viewport of a fixed layout.
//
// The attribute is a number of pixels; HTML reads "300px" as 300, whatever stands behind the
// digits. So the letters can go. Per cents mean something else, and stay.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
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

void mend_lengths(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", "px\"")) {
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "lengths",
                .mends = {"RSC-005"},
                .entry = entry,
                .what = "width and height are numbers of pixels, without px"},
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
                .mends = {"HTM-057"},
                .entry = entry,
                .what = "the viewport is in pixels, without px"},
               [](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   drop_viewport_units(document, piece, edit);
                 }
               });
  }
}

}  // namespace tidemill::epub
