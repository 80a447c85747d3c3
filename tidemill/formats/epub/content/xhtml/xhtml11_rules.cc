#include "tidemill/formats/epub/content/xhtml/xhtml11_rules.h"

#include <ranges>
#include <string_view>

#include "tidemill/formats/epub/namespaces.h"

namespace tidemill::epub {
namespace {

// A parser that reads this DTD adds clear="none" to br, which XHTML 1.1 does not have. The other
// defaults of this DTD, and those of the other known DTDs, are harmless.
constexpr std::string_view kTransitional =
    "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd";

bool is_link(const xml::Element& element) {
  return element.name == "a" && element.ns == kXhtmlNamespace;
}

}  // namespace

void Xhtml11Rules::doctype(const xml::Doctype& doctype, xml::Position /*where*/) {
  gives_br_clear_ = doctype.system_id == kTransitional;
}

void Xhtml11Rules::start(const xml::Element& element) {
  ids_.see(element);
  if (gives_br_clear_ && element.name == "br" && element.ns == kXhtmlNamespace &&
      !element.attribute("clear")) {
    document_.report_if_whole(
        "RSC-005", element.where,
        "the doctype gives \"br\" the attribute \"clear\", which is not allowed");
  }
  if (!is_link(element)) return;
  for (OpenLink& outer : links_ | std::views::reverse) {
    if (outer.is_reported) break;
    outer.is_reported = true;
    document_.report_if_whole("RSC-005", outer.at, "element \"a\" has another \"a\" inside it");
  }
  links_.push_back({.at = element.where});
}

void Xhtml11Rules::end(const xml::Element& element) {
  if (is_link(element) && !links_.empty()) links_.pop_back();
}

}  // namespace tidemill::epub
