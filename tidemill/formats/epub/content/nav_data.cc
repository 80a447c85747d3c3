#include "tidemill/formats/epub/content/nav_data.h"

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

DataNavRules::DataNavRules(Document& document)
    : document_(document),
      is_data_nav_(document.item != nullptr && document.item->has("data-nav")) {}

void DataNavRules::start(const xml::Element& element) {
  const auto types = element.attribute("type", kOpsNamespace);
  if (types) check_type(element, *types);
  if (!is_data_nav_) return;

  const Tag tag = tag_of(element);
  if (!open_.empty() && element.ns == kXhtmlNamespace) {
    Frame& parent = open_.back();
    ++parent.children;
    if (parent.children == 1) parent.first = tag;
    if (parent.children == 2) parent.second = tag;
    if (tag == Tag::link) ++parent.links;
  }
  if (tag == Tag::nav || tag == Tag::region_nav) {
    if (navs_ == 0 && is_blank(types.value_or(""))) {
      document_.report_if_whole(
          "RSC-005", element.where,
          "a nav element of a data navigation document must have an epub:type");
    }
    ++navs_;
  }
  if (tag == Tag::region_nav) ++region_navs_;
  if (tag == Tag::link && region_navs_ > 0) check_target(element);
  open_.push_back({.tag = tag, .where = element.where});
}

DataNavRules::Tag DataNavRules::tag_of(const xml::Element& element) {
  if (element.ns != kXhtmlNamespace) return Tag::other;
  if (element.name == "nav") {
    const auto types = element.attribute("type", kOpsNamespace);
    return has_word(types.value_or(""), "region-based") ? Tag::region_nav : Tag::nav;
  }
  if (element.name == "ol") return Tag::list;
  if (element.name == "li") return Tag::item;
  if (element.name == "a") return Tag::link;
  if (element.name == "span") return Tag::span;
  return Tag::other;
}

void DataNavRules::check_type(const xml::Element& element, std::string_view types) {
  if (!has_word(types, "region-based") || (is_data_nav_ && element.name == "nav")) return;
  document_.report("HTM-052", element.where, "element \"" + std::string(element.name) + "\"");
}

void DataNavRules::check_target(const xml::Element& link) {
  const auto href = link.attribute("href");
  if (!href || document_.book->archive == nullptr) return;
  const Package& package = document_.book->package;
  const Item* item = package.item_at(resolve(*href, document_.path).path);
  if (item == nullptr || !package.is_fixed(*item)) {
    document_.report("NAV-009", link.where, std::string(*href));
  }
}

void DataNavRules::end(const xml::Element& /*element*/) {
  if (!is_data_nav_ || open_.empty()) return;
  const Frame frame = open_.back();
  open_.pop_back();
  if (frame.has_text && !open_.empty()) open_.back().has_text = true;
  if (region_navs_ > 0) judge(frame);
  if (frame.tag == Tag::nav || frame.tag == Tag::region_nav) --navs_;
  if (frame.tag == Tag::region_nav) --region_navs_;
}

void DataNavRules::judge(const Frame& frame) {
  const auto refuse = [&](std::string_view why) {
    document_.report_if_whole("RSC-005", frame.where, std::string(why));
  };
  switch (frame.tag) {
    case Tag::region_nav:
      if (frame.children != 1 || frame.first != Tag::list) {
        refuse("a region-based nav element must contain one ol and nothing else");
      }
      break;
    case Tag::item:
      if (frame.first != Tag::link && frame.first != Tag::span) {
        refuse("an item of a region-based nav must begin with a or span");
      } else if (frame.children > 1 && (frame.children > 2 || frame.second != Tag::list)) {
        refuse("after its link, an item of a region-based nav may have only one ol");
      }
      break;
    case Tag::link:
      if (frame.has_text) {
        document_.report_if_whole("RSC-017", frame.where, "a link to a region should have no text");
      }
      break;
    case Tag::span:
      if (frame.children != 2 || frame.links != 2) {
        refuse("a span of a region-based nav must contain exactly two links");
      }
      break;
    case Tag::nav:
    case Tag::list:
    case Tag::other:
      break;
  }
}

void DataNavRules::text(std::string_view part, xml::Position /*where*/) {
  if (!open_.empty() && !is_blank(part)) open_.back().has_text = true;
}

}  // namespace tidemill::epub
