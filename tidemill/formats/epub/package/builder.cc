#include "tidemill/formats/epub/package/builder.h"

#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

void OpfBuilder::report(RuleId rule, xml::Position at, std::string detail) const {
  book_.findings.add(rule, book_.package.path, at, std::move(detail));
}

FaultListener OpfBuilder::listener(xml::Position at) const {
  return [this, at](RuleId rule, std::string detail) { report(rule, at, std::move(detail)); };
}

LinkTarget OpfBuilder::target_of(std::string_view url, xml::Position at) const {
  LinkTarget found = resolve(url, book_.package.path);
  if (found.kind == LinkTarget::Kind::file) report("RSC-030", at, std::string(url));
  if (!found.problem.empty()) {
    report("RSC-020", at, std::string(url) + ": " + std::string(found.problem));
  }
  if (found.kind == LinkTarget::Kind::inside) {
    if (found.has_query) report("RSC-033", at, std::string(url));
    if (found.leaks && book_.archive != nullptr) report("RSC-026", at, std::string(url));
  }
  return found;
}

void OpfBuilder::refer(Use use, const std::string& url, const LinkTarget& target,
                       xml::Position at) {
  book_.references.add(
      {.use = use, .from = book_.package.path, .url = url, .target = target, .at = at});
}

std::size_t OpfBuilder::outermost_collection() const {
  return open_collections_.empty() ? kNone : open_collections_.front();
}

void OpfBuilder::language(std::string_view tag, xml::Position at) const {
  if (!tag.empty() && !is_language_tag(tag)) report("OPF-092", at, std::string(tag));
}

void OpfBuilder::language_attribute(std::string_view name, std::string_view value,
                                    xml::Position at) const {
  language(value, at);
  const std::string_view tag = trimmed(value);
  if (tag.empty() || is_schema_language(tag)) return;
  report("RSC-005", at,
         std::string(name) + "=\"" + std::string(value) + "\" is not a language tag");
}

void OpfBuilder::choose_edition(const xml::Element& element) {
  Package& package = book_.package;
  package.version = element.attribute("version").value_or("");
  package.is_oeb12 = element.ns == kOebNamespace || element.ns.empty();
  if (book_.archive == nullptr) return;
  const std::string_view version = package.version;
  if (version == "2.0") {
    package.edition = Edition::epub2;
  } else if (version == "3.0") {
    package.edition = Edition::epub3;
  } else {
    is_known_version_ = false;
    report("OPF-001", element.where, package.version);
  }
}

void OpfBuilder::package(const xml::Element& element) {
  choose_edition(element);
  facts_.package_at = element.where;
  book_.package.is_read = is_known_version_ && element.name == "package";
  if (element.ns != kOpfNamespace && element.ns != kOebNamespace && !element.ns.empty()) return;
  if (book_.package.is_oeb12) report("OPF-047", element.where);
  book_.package.unique_identifier = element.attribute("unique-identifier").value_or("");
  if (book_.package.unique_identifier.empty()) report("OPF-048", element.where);
  const auto prefix = element.attribute("prefix");
  if (prefix && is_epub3()) {
    book_.package.prefixes = read_package_prefixes(*prefix, listener(element.where));
  }
}

void OpfBuilder::common(const xml::Element& element) {
  if (const auto id = element.attribute("id")) {
    facts_.ids.push_back(
        {.id = normalized(*id), .collection = outermost_collection(), .at = element.where});
    ++facts_.id_counts[facts_.ids.back().id];
  }
  const auto spoken = element.attribute("lang", xml::kXmlNamespace);
  if (!spoken || !is_epub3()) return;
  language_attribute("xml:lang", *spoken, element.where);
}

void OpfBuilder::item_properties(Item& item, const xml::Element& element) const {
  const auto value = element.attribute("properties");
  if (!value) return;
  for (const std::string_view word : words_of(*value)) item.properties.emplace_back(word);
  if (!is_epub3()) return;
  for (const Property& property :
       read_properties(*value, PropertyPlace::item, book_.package.prefixes, listener(item.at))) {
    if (property.prefix.empty() && !is_allowed_on(property.name, item.media_type)) {
      report("OPF-012", item.at, std::string(property.name) + " on " + item.media_type);
    }
  }
}

void OpfBuilder::item(const xml::Element& element) {
  const auto id = element.attribute("id");
  const auto href = element.attribute("href");
  if (!id || !href) return;  // the grammar reports it
  LinkTarget found = target_of(*href, element.where);
  if (found.kind == LinkTarget::Kind::malformed) return;
  Item item{
      .id = normalized(*id),
      .href = std::string(*href),
      .path = std::move(found.path),
      .media_type = std::string(trimmed(element.attribute("media-type").value_or(""))),
      .fallback = std::string(trimmed(element.attribute("fallback").value_or(""))),
      .fallback_style = std::string(trimmed(element.attribute("fallback-style").value_or(""))),
      .media_overlay = normalized(element.attribute("media-overlay").value_or("")),
      .is_remote = found.is_outside(),
      .is_data = found.kind == LinkTarget::Kind::data,
      .has_fragment = found.has_fragment,
      .at = element.where};
  item_properties(item, element);
  Package& package = book_.package;
  const auto [place, is_new] = package.by_id.try_emplace(item.id, package.items.size());
  const std::size_t position = place->second;
  if (is_new) {
    package.items.emplace_back();
  } else {
    // A duplicate id means the last item that has it: it replaces the previous one.
    const auto by_path = package.by_path.find(package.items[position].path);
    if (by_path != package.by_path.end() && by_path->second == position) {
      package.by_path.erase(by_path);
    }
  }
  if (!item.has_fragment && !item.is_data) package.by_path.try_emplace(item.path, position);
  package.items[position] = std::move(item);
}

void OpfBuilder::spine(const xml::Element& element) {
  facts_.has_spine = true;
  facts_.spine_at = element.where;
  if (const auto map = element.attribute("page-map")) {
    report("OPF-062", element.where, std::string(*map));
    page_map_ = *map;
    page_map_at_ = element.where;
  }
  const auto toc = element.attribute("toc");
  if (!toc) return;
  facts_.toc = normalized(*toc);
  book_.package.toc = *facts_.toc;
  if (book_.package.item_with_id(*facts_.toc) == nullptr) {
    report("OPF-049", element.where, *facts_.toc);
  }
}

void OpfBuilder::itemref(const xml::Element& element) {
  const auto idref = element.attribute("idref");
  if (!idref) return;
  Package& package = book_.package;
  SpineRef ref{.idref = normalized(*idref),
               .is_linear = trimmed(element.attribute("linear").value_or("yes")) != "no",
               .at = element.where};
  const auto properties = element.attribute("properties");
  for (const std::string_view word : words_of(properties.value_or(""))) {
    ref.properties.emplace_back(word);
  }
  if (package.item_with_id(ref.idref) == nullptr) {
    report("OPF-049", element.where, ref.idref);
  } else {
    package.spine_by_id.try_emplace(ref.idref, package.spine.size());
    if (properties && is_epub3()) {
      (void)read_properties(*properties, PropertyPlace::itemref, package.prefixes,
                            listener(element.where));
    }
  }
  package.spine.push_back(std::move(ref));
}

void OpfBuilder::guide_reference(const xml::Element& element) {
  const auto href = element.attribute("href");
  GuideRef ref{.type = std::string(element.attribute("type").value_or("")),
               .href = std::string(href.value_or("")),
               .at = element.where};
  if (href) {
    ref.target = target_of(*href, element.where);
    if (ref.target.kind != LinkTarget::Kind::malformed)
      refer(Use::guide, ref.href, ref.target, ref.at);
  }
  book_.package.guide.push_back(std::move(ref));
}

void OpfBuilder::begin_metadata(const xml::Element& element) {
  open_metadata_ = metadata_count_++;
  if (!open_collections_.empty()) {
    facts_.collections[open_collections_.back()].metadata = open_metadata_;
  } else if (facts_.metadata == kNone) {
    facts_.metadata = open_metadata_;
    facts_.metadata_at = element.where;
  }
}

void OpfBuilder::end_metadata() { open_metadata_ = kNone; }

void OpfBuilder::begin_collection(const xml::Element& element) {
  CollectionFacts collection{.role = std::string(element.attribute("role").value_or("")),
                             .at = element.where};
  for (const std::string_view role : words_of(collection.role)) {
    collection.roles.emplace_back(role);
    // A role with a scheme must be a URL.
    if (role.contains(':') && !resolve(role, "").problem.empty()) {
      report("OPF-070", element.where, std::string(role));
    }
  }
  const std::size_t position = facts_.collections.size();
  if (!open_collections_.empty()) {
    collection.parent = open_collections_.back();
    facts_.collections[collection.parent].parts.push_back(position);
  }
  building_.push_back({.role = collection.role, .at = element.where});
  facts_.collections.push_back(std::move(collection));
  open_collections_.push_back(position);
}

void OpfBuilder::end_collection() {
  if (building_.empty()) return;
  Collection done = std::move(building_.back());
  building_.pop_back();
  open_collections_.pop_back();
  (building_.empty() ? book_.package.collections : building_.back().parts)
      .push_back(std::move(done));
}

void OpfBuilder::check_identifier() const {
  if (book_.archive == nullptr || book_.package.has_identifier) return;
  report("OPF-030", {}, book_.package.unique_identifier);
}

void OpfBuilder::finish() {
  if (!page_map_.empty() && book_.package.item_with_id(page_map_) == nullptr) {
    report("OPF-063", page_map_at_, page_map_);
  }
  const Item* toc = facts_.toc ? book_.package.item_with_id(*facts_.toc) : nullptr;
  if (toc != nullptr && toc->media_type != kNcxType) {
    report("OPF-050", toc->at, toc->media_type);
    if (!is_epub3()) report("CHK-008", toc->at, toc->path);
  }
  check_identifier();
}

}  // namespace tidemill::epub
