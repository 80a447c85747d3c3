#include "tidemill/formats/epub/package/vocabulary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

constexpr std::string_view kMetaTerms =
    "alternate-script authority belongs-to-collection collection-type dictionary-type display-seq "
    "file-as group-position identifier-type meta-auth pageBreakSource role source-language "
    "source-of target-language term title-type";
constexpr std::string_view kItemTerms =
    "cover-image data-nav dictionary glossary index mathml nav remote-resources scripted "
    "search-key-map svg switch";
constexpr std::string_view kItemrefTerms = "page-spread-left page-spread-right";
constexpr std::string_view kLinkTerms = "onix";
constexpr std::string_view kLinkRelTerms = "acquire alternate record voicing";
constexpr std::string_view kLinkRelOld =
    "marc21xml-record mods-record onix-record xml-signature xmp-record";
constexpr std::string_view kRenditionMeta = "layout orientation spread flow";
constexpr std::string_view kRenditionItemref =
    "layout-pre-paginated layout-reflowable orientation-auto orientation-landscape "
    "orientation-portrait spread-auto spread-both spread-landscape spread-none "
    "page-spread-center page-spread-left page-spread-right flow-paginated "
    "flow-scrolled-continuous flow-scrolled-doc flow-auto align-x-center";
constexpr std::string_view kAccessMeta = "certifiedBy certifierCredential exemption";
constexpr std::string_view kAccessRel = "certifierCredential certifierReport";
constexpr std::string_view kMediaTerms = "active-class duration narrator playback-active-class";
constexpr std::string_view kScriptedTerms =
    "network-access-required required-params storage-required version";

constexpr std::string_view kRenditionUri = "http://www.idpf.org/vocab/rendition/#";
constexpr std::string_view kAccessUri = "http://www.idpf.org/epub/vocab/package/a11y/#";
constexpr std::string_view kMediaUri = "http://www.idpf.org/epub/vocab/overlays/#";
constexpr std::string_view kScriptedUri = "http://idpf.org/epub/vocab/sc/#";

constexpr PropertyVocabulary foreign(std::string_view prefix, std::string_view uri) {
  return {.prefix = prefix, .uri = uri, .is_open = true};
}

// Third-party vocabularies: any term is valid.
constexpr std::array kForeign = {
    foreign("dcterms", "http://purl.org/dc/terms/"),
    foreign("marc", "http://id.loc.gov/vocabulary/"),
    foreign("onix", "http://www.editeur.org/ONIX/book/codelists/current.html#"),
    foreign("schema", "http://schema.org/"), foreign("xsd", "http://www.w3.org/2001/XMLSchema#")};

constexpr PropertyVocabulary own(std::string_view prefix, std::string_view uri,
                                 std::string_view terms = {}, std::string_view old_terms = {}) {
  return {.prefix = prefix, .uri = uri, .terms = terms, .old_terms = old_terms};
}

// A prefix is reserved for every attribute, but its terms differ between attributes.
constexpr std::array kMetaOwn = {own("a11y", kAccessUri, kAccessMeta),
                                 own("media", kMediaUri, kMediaTerms),
                                 own("rendition", kRenditionUri, kRenditionMeta, "viewport"),
                                 own({}, kScriptedUri, kScriptedTerms)};
constexpr std::array kItemOwn = {own({}, kAccessUri), own("media", kMediaUri),
                                 own("rendition", kRenditionUri), own({}, kScriptedUri)};
constexpr std::array kItemrefOwn = {
    own({}, kAccessUri), own("media", kMediaUri),
    own("rendition", kRenditionUri, kRenditionItemref, "spread-portrait")};
constexpr std::array kLinkOwn = {own("a11y", kAccessUri), own("media", kMediaUri),
                                 own("rendition", kRenditionUri), own({}, kScriptedUri)};
constexpr std::array kLinkRelOwn = {own("a11y", kAccessUri, kAccessRel), own("media", kMediaUri),
                                    own("rendition", kRenditionUri), own({}, kScriptedUri)};

struct Family {
  PropertyVocabulary unprefixed{};
  std::span<const PropertyVocabulary> own{};
};

Family family_of(PropertyPlace place) {
  switch (place) {
    case PropertyPlace::meta:
      return {.unprefixed = {.terms = kMetaTerms}, .own = kMetaOwn};
    case PropertyPlace::item:
      return {.unprefixed = {.terms = kItemTerms}, .own = kItemOwn};
    case PropertyPlace::itemref:
      return {.unprefixed = {.terms = kItemrefTerms}, .own = kItemrefOwn};
    case PropertyPlace::link:
      return {.unprefixed = {.terms = kLinkTerms}, .own = kLinkOwn};
    case PropertyPlace::link_rel:
      return {.unprefixed = {.terms = kLinkRelTerms, .old_terms = kLinkRelOld}, .own = kLinkRelOwn};
  }
  return {};
}

const PropertyVocabulary* find_by(std::string_view PropertyVocabulary::* field,
                                  std::string_view value, std::span<const PropertyVocabulary> own) {
  for (const std::span<const PropertyVocabulary> list :
       {own, std::span<const PropertyVocabulary>(kForeign)}) {
    for (const PropertyVocabulary& one : list) {
      if (one.*field == value) return &one;
    }
  }
  return nullptr;
}

const PropertyVocabulary kOpen{.is_open = true};

// Null: the prefix is neither reserved nor declared.
const PropertyVocabulary* meaning_of(std::string_view prefix, const Family& family,
                                     const Prefixes& declared) {
  if (prefix.empty()) return &family.unprefixed;
  if (const auto found = declared.find(std::string(prefix)); found != declared.end()) {
    const PropertyVocabulary* known = find_by(&PropertyVocabulary::uri, found->second, family.own);
    return known != nullptr ? known : &kOpen;
  }
  return find_by(&PropertyVocabulary::prefix, prefix, family.own);
}

}  // namespace

std::vector<Property> read_properties(std::string_view value, PropertyPlace place,
                                      const Prefixes& declared, const FaultListener& fault) {
  const Family family = family_of(place);
  std::vector<Property> properties;
  for (const std::string_view word : words_of(value)) {
    const std::size_t colon = word.find(':');
    const bool has_prefix = colon != std::string_view::npos;
    if (has_prefix && (colon == 0 || colon + 1 == word.size())) {
      fault("OPF-026", std::string(word));
      continue;
    }
    const Property property{.prefix = has_prefix ? word.substr(0, colon) : std::string_view{},
                            .name = has_prefix ? word.substr(colon + 1) : word};
    const PropertyVocabulary* vocabulary = meaning_of(property.prefix, family, declared);
    if (vocabulary == nullptr) {
      fault("OPF-028", std::string(property.prefix));
      continue;
    }
    const bool is_old = has_word(vocabulary->old_terms, property.name);
    if (!is_old && !vocabulary->is_open && !has_word(vocabulary->terms, property.name)) {
      fault("OPF-027", std::string(word));
      continue;
    }
    if (is_old) fault("OPF-086", std::string(word));
    properties.push_back(property);
  }
  return properties;
}

Prefixes read_package_prefixes(std::string_view value, const FaultListener& fault) {
  static constexpr auto kDefaults = std::to_array<std::string_view>(
      {"http://idpf.org/epub/vocab/package/item/#", "http://idpf.org/epub/vocab/package/itemref/#",
       "http://idpf.org/epub/vocab/package/meta/#", "http://idpf.org/epub/vocab/package/link/#"});
  static constexpr auto kReserved = [] {
    std::array<PropertyVocabulary, kMetaOwn.size() + kForeign.size()> all{};
    std::ranges::copy(kForeign, std::ranges::copy(kMetaOwn, all.begin()).out);
    return all;
  }();
  return read_prefixes(value, kReserved, kDefaults, fault);
}

bool is_allowed_on(std::string_view property, std::string_view type) {
  const bool is_xhtml = type == kXhtmlType;
  const bool is_svg = type == kSvgType;
  const bool is_keys = type == kSearchKeyType;
  if (property == "cover-image") return type.starts_with("image/");
  if (property == "mathml" || property == "scripted" || property == "switch") {
    return is_xhtml || is_svg;
  }
  if (property == "remote-resources") {
    return is_xhtml || is_svg || type == kOverlayType || type == kCssType;
  }
  if (property == "dictionary" || property == "search-key-map") return is_keys;
  if (property == "glossary") return is_keys || is_xhtml;
  return is_xhtml;
}

}  // namespace tidemill::epub
