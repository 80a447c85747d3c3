// Drawings of fixed layout without a viewBox: with width and height in pixels it follows from them.
#include <optional>
#include <string>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// A number of pixels, with its unit or without; nothing: another unit, or none at all.
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

void mend_view_box(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "HTM-048")) {
    edit_entry(draft, plan,
               {.name = "view-box",
                .mends = {"HTM-048"},
                .entry = entry,
                .what = "viewBox is derived from the width and height of the drawing"},
               add_view_box);
  }
}

}  // namespace tidemill::epub
