#include "tidemill/formats/epub/content/xhtml/rules.h"

#include <algorithm>
#include <array>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

constexpr auto kKnownNamespaces = std::to_array<std::string_view>(
    {kXhtmlNamespace, kOpsNamespace, kSvgNamespace, kMathmlNamespace, kSsmlNamespace,
     kXmlEventsNamespace, kXlinkNamespace, xml::kXmlNamespace});

// "http://www.w3.org/x" has the host "www.w3.org"; others have none.
std::string_view host_of(std::string_view uri) {
  const std::size_t begin = uri.find("://");
  if (begin == std::string_view::npos) return {};
  uri.remove_prefix(begin + 3);
  uri = uri.substr(0, uri.find_first_of("/?#"));
  if (const std::size_t at = uri.rfind('@'); at != std::string_view::npos)
    uri.remove_prefix(at + 1);
  return uri.substr(0, uri.find(':'));
}

bool is_data_name(std::string_view name) {
  name.remove_prefix(5);
  if (name.empty() || is_digit(name.front()) || name.front() == '-' || name.front() == '.') {
    return false;
  }
  return std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_linear(const Document& document) {
  if (document.item == nullptr) return true;
  const Package& package = document.book->package;
  const std::size_t place = package.spine_position(*document.item);
  return place == kNone || package.spine[place].is_linear;
}

// A collection with the role index, or one of its parts, links to the document.
bool is_in_index(const std::vector<Collection>& collections, std::string_view path) {
  std::vector<const Collection*> open;
  for (const Collection& collection : collections) {
    if (has_word(collection.role, "index")) open.push_back(&collection);
  }
  while (!open.empty()) {
    const Collection& collection = *open.back();
    open.pop_back();
    for (const MetadataLink& link : collection.links) {
      if (link.target.path == path) return true;
    }
    for (const Collection& part : collection.parts) open.push_back(&part);
  }
  return false;
}

}  // namespace

XhtmlRules::XhtmlRules(Document& document)
    : document_(document),
      is_epub3_(document.edition() == Edition::epub3),
      head_(document),
      ids_(document),
      nesting_(document),
      types_(document) {
  if (is_epub3_) add_special_rules();
}

void XhtmlRules::add_special_rules() {
  const Inspection& book = *document_.book;
  const auto is_kind = [&](Profile profile, std::string_view type) {
    return book.profile == profile || book.package.is_of_type(type);
  };
  const bool is_education = is_kind(Profile::education, "edupub");
  if (is_education && !document_.is_fixed && is_linear(document_)) education_.emplace(document_);
  const bool is_index = (!document_.is_nav && is_kind(Profile::index, "index")) ||
                        (document_.item != nullptr && document_.item->has("index")) ||
                        is_in_index(book.package.collections, document_.path);
  if (is_index || education_) index_.emplace(document_, is_index);
  if (is_kind(Profile::dictionary, "dictionary")) dictionary_.emplace(document_);
}

void XhtmlRules::doctype(const xml::Doctype& doctype, xml::Position where) {
  check_doctype(document_, doctype, kXhtmlType, where);
}

void XhtmlRules::external_entity(std::string_view name, std::string_view /*system_id*/,
                                 xml::Position where) {
  document_.report("HTM-003", where, std::string(name));
}

void XhtmlRules::start(const xml::Element& element) {
  if (!is_epub3_) return;
  const Tag tag = tag_of(element);
  open_.push_back(tag);
  if (!element.declarations.empty()) check_declarations(element);
  nesting_.start(element, tag);
  if (!element.attributes.empty()) check_attributes(element, tag);
  ids_.start(element, tag);
  types_.start(element, tag);
  head_.start(element, tag);
  if (index_) index_->start(element);
  if (dictionary_) dictionary_->start(element);
  if (education_) education_->start(element);
  if (tag != Tag::other_html && tag != Tag::other) check_element(element, tag);
}

void XhtmlRules::end(const xml::Element& element) {
  if (!is_epub3_ || open_.empty()) return;
  const Tag tag = open_.back();
  if (!hosts_.empty() && hosts_.back().depth == open_.size()) close_host(element);
  open_.pop_back();
  head_.end(element, tag);
  ids_.end(tag);
  nesting_.end(tag);
  if (index_) index_->end(element);
  if (dictionary_) dictionary_->end(element);
  if (education_) education_->end(element);
}

void XhtmlRules::text(std::string_view part, xml::Position /*where*/) {
  if (!is_epub3_) return;
  head_.text(part);
  if (index_) index_->text(part);
  if (education_) education_->text(part);
}

void XhtmlRules::finish() {
  if (is_epub3_) ids_.finish();
  if (education_) education_->finish();
}

void XhtmlRules::check_declarations(const xml::Element& element) const {
  for (const xml::Attribute& declaration : element.declarations) {
    if (declaration.name == "epub" && declaration.value != kOpsNamespace) {
      document_.report("HTM-010", element.where, std::string(declaration.value));
    }
  }
}

void XhtmlRules::check_attributes(const xml::Element& element, Tag tag) const {
  for (const xml::Attribute& attribute : element.attributes) check_attribute(attribute, element);
  if (!is_html(tag)) return;
  check_languages(element);
  if (const auto role = element.attribute("role")) check_role(*role, element.where);
  if (element.attribute("itemprop")) check_item(element, tag);
}

void XhtmlRules::check_attribute(const xml::Attribute& attribute,
                                 const xml::Element& element) const {
  if (attribute.ns.empty()) {
    if (attribute.name.starts_with("data-") && !is_data_name(attribute.name)) {
      document_.report("HTM-061", element.where, std::string(attribute.name));
    }
    return;
  }
  if (attribute.ns == kSsmlNamespace && attribute.name == "ph" && is_blank(attribute.value)) {
    document_.report("HTM-007", element.where);
  }
  if (std::ranges::find(kKnownNamespaces, attribute.ns) != kKnownNamespaces.end()) return;
  const std::string_view host = host_of(attribute.ns);
  if (host.contains("w3.org") || host.contains("idpf.org")) {
    document_.report("HTM-054", element.where, std::string(attribute.ns));
  }
}

void XhtmlRules::check_languages(const xml::Element& element) const {
  const auto plain = element.attribute("lang");
  const auto xml = element.attribute("lang", xml::kXmlNamespace);
  if (plain && xml && !same_in_any_case(*plain, *xml)) {
    document_.report_if_whole("RSC-005", element.where, "lang and xml:lang differ");
  }
}

void XhtmlRules::check_role(std::string_view role, xml::Position where) const {
  for (const std::string_view old : {"doc-endnote", "doc-biblioentry"}) {
    if (has_word(role, old)) {
      document_.report_if_whole("RSC-017", where,
                                "the role \"" + std::string(old) + "\" is deprecated");
    }
  }
}

// An element with itemprop must have the attribute that holds its microdata value.
void XhtmlRules::check_item(const xml::Element& element, Tag tag) const {
  std::string_view wanted;
  if (tag == Tag::a || tag == Tag::area) wanted = "href";
  if (tag == Tag::iframe || tag == Tag::embed || tag == Tag::object) wanted = "data";
  if (tag == Tag::audio || tag == Tag::video) wanted = "src";
  if (wanted.empty() || element.attribute(wanted)) return;
  document_.report_if_whole("RSC-005", element.where,
                            "element \"" + std::string(element.name) +
                                "\" with itemprop must have " + std::string(wanted));
}

void XhtmlRules::check_element(const xml::Element& element, Tag tag) {
  switch (tag) {
    case Tag::base:
    case Tag::embed:
    case Tag::rp:
      return document_.report("HTM-055", element.where, std::string(element.name));
    case Tag::bdo:
      if (element.attribute("dir")) return;
      return document_.report_if_whole("RSC-005", element.where, "element \"bdo\" must have dir");
    case Tag::map:
      return check_map(element);
    case Tag::track:
      return check_track(element);
    case Tag::option:
      if (Host* select = host(Tag::select); select != nullptr && element.attribute("selected")) {
        ++select->selected;
      }
      return;
    case Tag::epub_switch:
      return document_.report_if_whole("RSC-017", element.where, "epub:switch is deprecated");
    case Tag::epub_trigger:
      return document_.report_if_whole("RSC-017", element.where, "epub:trigger is deprecated");
    case Tag::svg_label:
      if (Host* link = host(Tag::svg_a)) link->has_label = true;
      return;
    case Tag::math_annotation:
      if (Host* math = host(Tag::math)) math->has_label = true;
      return;
    case Tag::select:
    case Tag::audio:
    case Tag::video:
    case Tag::svg_a:
    case Tag::math:
      return open_host(element, tag);
    default:
      return;
  }
}

void XhtmlRules::check_map(const xml::Element& map) {
  const auto name = map.attribute("name");
  if (!name) return;
  if (!map_names_.emplace(*name).second) {
    document_.report_if_whole(
        "RSC-005", map.where,
        "the map name \"" + std::string(name->substr(0, 80)) + "\" is used twice");
  }
  if (const auto id = map.attribute("id"); id && *id != *name) {
    document_.report_if_whole("RSC-005", map.where, "id and name of a map differ");
  }
}

void XhtmlRules::check_track(const xml::Element& track) {
  if (const auto label = track.attribute("label"); label && is_blank(*label)) {
    document_.report_if_whole("RSC-005", track.where, "the label of a track is empty");
  }
  if (!track.attribute("default") || hosts_.empty()) return;
  if (hosts_.back().has_default) {
    document_.report_if_whole("RSC-005", track.where, "more than one track is the default");
  }
  hosts_.back().has_default = true;
}

void XhtmlRules::open_host(const xml::Element& element, Tag tag) {
  Host made{.tag = tag, .depth = open_.size()};
  if (tag == Tag::select) made.takes_many = element.attribute("multiple").has_value();
  if (tag == Tag::math) made.has_label = element.attribute("alttext").has_value();
  if (tag == Tag::svg_a) {
    made.has_label = !element.attribute("title", kXlinkNamespace).value_or("").empty() ||
                     !element.attribute("aria-label").value_or("").empty();
  }
  hosts_.push_back(made);
}

void XhtmlRules::close_host(const xml::Element& element) {
  const Host closed = hosts_.back();
  hosts_.pop_back();
  if (closed.tag == Tag::select && !closed.takes_many && closed.selected > 1) {
    document_.report_if_whole("RSC-005", element.where,
                              "a single-choice select element has more than one option selected");
  }
  if (closed.tag == Tag::math && !closed.has_label) document_.report("ACC-009", element.where);
  if (closed.tag == Tag::svg_a && !closed.has_label) document_.report("ACC-011", element.where);
}

// The innermost open host, if it has this tag.
XhtmlRules::Host* XhtmlRules::host(Tag tag) {
  return !hosts_.empty() && hosts_.back().tag == tag ? &hosts_.back() : nullptr;
}

}  // namespace tidemill::epub
