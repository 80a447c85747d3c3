// enable-background on the shapes of a drawing.
//
// The property applies to container elements only (SVG 1.1, 15.6): on a path or a polygon it never
// had an effect, and the drawings of EPUB 2 must not have it there. Drawing programs write it all
// the same. Taking it away changes nothing that can be seen. On containers it stays: there a filter
// may use it.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

constexpr std::string_view kProperty = "enable-background";

bool is_shape(std::string_view element) {
  static const std::unordered_set<std::string_view> kShapes = {
      "path", "rect", "circle",   "ellipse", "line",  "polyline", "polygon",
      "text", "tref", "textPath", "tspan",   "image", "use"};
  return kShapes.contains(local_name(element));
}

}  // namespace

void mend_svg_background(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", kProperty)) {
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "svg-background",
                .mends = {"RSC-005"},
                .entry = entry,
                .what = "enable-background is taken from shapes, where it has no effect"},
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
