#include "tidemill/formats/epub/content/xhtml/tags.h"

#include <algorithm>
#include <array>

#include "tidemill/formats/epub/namespaces.h"

namespace tidemill::epub {

namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"a",        "address",  "area",   "audio",  "base",   "bdo",      "button", "caption",
     "datalist", "details",  "dfn",    "embed",  "footer", "form",     "head",   "header",
     "html",     "iframe",   "img",    "input",  "label",  "link",     "map",    "menu",
     "meta",     "meter",    "object", "option", "output", "progress", "rp",     "select",
     "table",    "textarea", "th",     "title",  "track",  "video"});
static_assert(std::ranges::is_sorted(kNames));
static_assert(kNames.size() == static_cast<std::size_t>(Tag::other_html));

Tag html_tag(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kNames, name);
  if (found == kNames.end() || *found != name) return Tag::other_html;
  return static_cast<Tag>(found - kNames.begin());
}

}  // namespace

Tag tag_of(const xml::Element& element) {
  const std::string_view name = element.name;
  if (element.ns == kXhtmlNamespace) return html_tag(name);
  if (element.ns == kSvgNamespace) {
    if (name == "svg") return Tag::svg;
    if (name == "a") return Tag::svg_a;
    return name == "title" || name == "text" ? Tag::svg_label : Tag::other;
  }
  if (element.ns == kMathmlNamespace) {
    if (name == "math") return Tag::math;
    return name == "annotation-xml" ? Tag::math_annotation : Tag::other_math;
  }
  if (element.ns == kOpsNamespace) {
    if (name == "switch") return Tag::epub_switch;
    if (name == "trigger") return Tag::epub_trigger;
  }
  return Tag::other;
}

}  // namespace tidemill::epub
