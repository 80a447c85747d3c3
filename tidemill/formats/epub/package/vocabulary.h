// Vocabularies: the property values of EPUB 3 ("nav", "rendition:layout-reflowable",
// "dcterms:modified"), their reserved prefixes, and the prefix attribute that declares more.
//
// A vocabulary is a list of terms, or open (any term: it is somebody else's). Which one a prefix
// means depends on the attribute: "rendition:" has other terms in meta@property than in
// itemref@properties. How it fails: faults are told to a listener, nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/rules/rule_id.h"

namespace tidemill::epub {

struct Vocabulary {
  std::string_view prefix{};  // reserved for it; empty: none is
  std::string_view uri{};
  std::string_view terms{};      // words
  std::string_view old_terms{};  // words: still understood, but deprecated
  bool is_open = false;          // any term is fine
};

// Where a property stands.
enum class PropertyPlace : std::uint8_t { meta, item, itemref, link, link_rel };

using Prefixes = std::map<std::string, std::string>;  // to URI
using FaultListener = std::function<void(RuleId rule, std::string detail)>;

// What a prefix attribute declares, with its faults of form (OPF-004…006).
[[nodiscard]] Prefixes read_prefixes(std::string_view value, const FaultListener& fault);

// The same, and what a package document or a content document may not declare (OPF-007…):
// `reserved` are the vocabularies with a prefix of their own, `defaults` the URIs of those that
// need none. What may not be declared is not in the answer.
[[nodiscard]] Prefixes read_prefixes(std::string_view value, std::span<const Vocabulary> reserved,
                                     std::span<const std::string_view> defaults,
                                     const FaultListener& fault);

// package@prefix.
[[nodiscard]] Prefixes read_package_prefixes(std::string_view value, const FaultListener& fault);

struct Property {
  std::string_view prefix{};  // as written
  std::string_view name{};
};

// The words of a property attribute that have a meaning; the faults of the others are told
// (OPF-026, 027, 028) and deprecated ones too (OPF-086). The views point into the value.
[[nodiscard]] std::vector<Property> read_properties(std::string_view value, PropertyPlace place,
                                                    const Prefixes& declared,
                                                    const FaultListener& fault);

// An item's property (as in item@properties, without a prefix) may stand on this media type.
[[nodiscard]] bool is_allowed_on(std::string_view item_property, std::string_view media_type);

}  // namespace tidemill::epub
