#include "tidemill/formats/epub/content/xhtml/nesting.h"

#include <string>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"

namespace tidemill::epub {

namespace {

using Pair = std::pair<Tag, Tag>;  // inner, outer

constexpr auto kForbidden = std::to_array<Pair>({
    {Tag::audio, Tag::audio},
    {Tag::video, Tag::audio},
    {Tag::video, Tag::video},
    {Tag::audio, Tag::video},
    {Tag::address, Tag::address},
    {Tag::header, Tag::address},
    {Tag::footer, Tag::address},
    {Tag::form, Tag::form},
    {Tag::progress, Tag::progress},
    {Tag::meter, Tag::meter},
    {Tag::dfn, Tag::dfn},
    {Tag::table, Tag::caption},
    {Tag::header, Tag::header},
    {Tag::footer, Tag::header},
    {Tag::footer, Tag::footer},
    {Tag::header, Tag::footer},
    {Tag::label, Tag::label},
});

bool has(const xml::Element& element, std::string_view name) {
  return element.attribute(name).has_value();
}

// Interactive content, which is not allowed in a link or a button.
bool is_interactive(const xml::Element& element, Tag tag) {
  switch (tag) {
    case Tag::a:
    case Tag::button:
    case Tag::details:
    case Tag::embed:
    case Tag::iframe:
    case Tag::label:
    case Tag::menu:
    case Tag::select:
    case Tag::textarea:
      return true;
    case Tag::audio:
    case Tag::video:
      return has(element, "controls");
    case Tag::img:
    case Tag::object:
      return has(element, "usemap");
    case Tag::input:
      return element.attribute("type") != "hidden";
    default:
      return false;
  }
}

std::string inside(std::string_view inner, std::string_view outer) {
  return "element \"" + std::string(inner) + "\" is not allowed inside \"" + std::string(outer) +
         "\"";
}

std::string_view name_of(Tag tag) {
  switch (tag) {
    case Tag::audio:
      return "audio";
    case Tag::video:
      return "video";
    case Tag::address:
      return "address";
    case Tag::form:
      return "form";
    case Tag::progress:
      return "progress";
    case Tag::meter:
      return "meter";
    case Tag::dfn:
      return "dfn";
    case Tag::caption:
      return "caption";
    case Tag::header:
      return "header";
    case Tag::footer:
      return "footer";
    default:
      return "label";
  }
}

}  // namespace

void NestingRules::start(const xml::Element& element, Tag tag) {
  const bool is_spoken = element.attribute("ph", kSsmlNamespace).has_value();
  if (is_spoken && spoken_ > 0) {
    document_.report_if_whole(
        "RSC-005", element.where,
        "ssml:ph is not allowed on an element inside another element that has it");
  }
  is_spoken_.push_back(is_spoken);
  if (is_spoken) ++spoken_;
  if (tag >= Tag::other_html) return;
  for (const auto& [inner, outer] : kForbidden) {
    if (inner == tag && open(outer) > 0) {
      document_.report_if_whole("RSC-005", element.where, inside(element.name, name_of(outer)));
    }
  }
  if ((open(Tag::a) > 0 || open(Tag::button) > 0) && is_interactive(element, tag)) {
    if (open(Tag::a) > 0)
      document_.report_if_whole("RSC-005", element.where, inside(element.name, "a"));
    if (open(Tag::button) > 0) {
      document_.report_if_whole("RSC-005", element.where, inside(element.name, "button"));
    }
  }
  if (tag == Tag::area && open(Tag::map) == 0) {
    document_.report_if_whole("RSC-005", element.where, "element \"area\" must be inside \"map\"");
  }
  if (tag == Tag::img && has(element, "ismap") && links_ == 0) {
    document_.report_if_whole("RSC-005", element.where,
                              "element \"img\" with ismap must be inside a link");
  }
  ++open_[static_cast<std::size_t>(tag)];
  if (tag == Tag::a) {
    has_href_.push_back(has(element, "href"));
    if (has_href_.back()) ++links_;
  }
}

void NestingRules::end(Tag tag) {
  if (is_spoken_.empty()) return;
  if (is_spoken_.back()) --spoken_;
  is_spoken_.pop_back();
  if (tag >= Tag::other_html) return;
  --open_[static_cast<std::size_t>(tag)];
  if (tag == Tag::a) {
    if (has_href_.back()) --links_;
    has_href_.pop_back();
  }
}

}  // namespace tidemill::epub
