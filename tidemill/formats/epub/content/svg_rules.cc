#include "tidemill/formats/epub/content/svg_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/namespaces.h"

namespace tidemill::epub {
namespace {

// Sorted.
constexpr std::array<std::string_view, 22> kDrawing = {
    "a",    "audio",    "canvas",  "circle",   "ellipse", "g",    "iframe", "image",
    "line", "path",     "polygon", "polyline", "rect",    "svg",  "switch", "symbol",
    "text", "textPath", "tspan",   "unknown",  "use",     "video"};

// Elements that the grammar accepts as flow content although they are not HTML.
bool is_embedded(const xml::Element& element) {
  return (element.ns == kSvgNamespace && element.name == "svg") ||
         (element.ns == kMathmlNamespace && element.name == "math");
}

}  // namespace

void SvgRules::start(const xml::Element& element) {
  ++depth_;
  ids_.see(element);
  if (document_.edition() == Edition::epub2) return;
  if (depth_ == 1 && document_.is_fixed && element.ns == kSvgNamespace &&
      !element.attribute("viewBox")) {
    document_.report("HTM-048", element.where);
  }
  if (element.ns == kSvgNamespace) check_epub_attributes(document_, element, depth_ == 1);
  check_title_content(element);
}

void check_epub_attributes(const Document& document, const xml::Element& element, bool is_root) {
  for (const xml::Attribute& attribute : element.attributes) {
    if (attribute.ns != kOpsNamespace) continue;
    if (attribute.name == "type" && std::ranges::binary_search(kDrawing, element.name)) continue;
    if (attribute.name == "prefix" && is_root) continue;
    document.report("RSC-005", element.where,
                    "attribute \"epub:" + std::string(attribute.name) +
                        "\" is not allowed on element \"" + std::string(element.name) + "\"");
  }
}

// Reports the top of a non-HTML subtree. The grammar reports elements of other namespaces.
void SvgRules::check_title_content(const xml::Element& element) {
  if (title_depth_ == 0) {
    if (element.ns == kSvgNamespace && element.name == "title") title_depth_ = depth_;
    return;
  }
  if (alien_depth_ != 0 || !is_embedded(element)) return;
  alien_depth_ = depth_;
  document_.report("RSC-005", element.where,
                   "element \"" + std::string(element.name) + "\" inside a title is not HTML");
}

void SvgRules::end(const xml::Element& /*element*/) {
  if (alien_depth_ == depth_) alien_depth_ = 0;
  if (title_depth_ == depth_) title_depth_ = 0;
  --depth_;
}

}  // namespace tidemill::epub
