// Vocabularies: the property values of EPUB 3 ("nav", "rendition:layout-reflowable",
// "dcterms:modified"), their reserved prefixes, and the prefix attribute that declares more.
//
// A vocabulary is a list of terms, or open (third-party: any term is accepted). The vocabulary of a
// prefix depends on the attribute: "rendition:" has other terms in meta@property than in
// itemref@properties. Never fails; faults are reported to a listener.
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

struct PropertyVocabulary {
  std::string_view prefix{};  // the reserved prefix; empty: none
  std::string_view uri{};
  std::string_view terms{};      // separated by spaces
  std::string_view old_terms{};  // deprecated terms, separated by spaces
  bool is_open = false;          // any term is valid
};

// The attribute that contains a property.
enum class PropertyPlace : std::uint8_t { meta, item, itemref, link, link_rel };

using Prefixes = std::map<std::string, std::string>;  // to URI
using FaultListener = std::function<void(RuleId rule, std::string detail)>;

// Reads a prefix attribute and reports its syntax errors (OPF-004…006).
[[nodiscard]] Prefixes read_prefixes(std::string_view value, const FaultListener& fault);

// The same, and reports declarations that a package or content document must not make (OPF-007…):
// `reserved` are the vocabularies with a reserved prefix, `defaults` the URIs of those that need no
// prefix. Forbidden declarations are left out of the result.
[[nodiscard]] Prefixes read_prefixes(std::string_view value,
                                     std::span<const PropertyVocabulary> reserved,
                                     std::span<const std::string_view> defaults,
                                     const FaultListener& fault);

// package@prefix.
[[nodiscard]] Prefixes read_package_prefixes(std::string_view value, const FaultListener& fault);

struct Property {
  std::string_view prefix{};  // as written
  std::string_view name{};
};

// The valid properties in a property attribute. Reports the invalid ones (OPF-026, 027, 028) and
// the deprecated ones (OPF-086). The views point into the value.
[[nodiscard]] std::vector<Property> read_properties(std::string_view value, PropertyPlace place,
                                                    const Prefixes& declared,
                                                    const FaultListener& fault);

// An item of this media type may have the property (from item@properties, without a prefix).
[[nodiscard]] bool is_allowed_on(std::string_view item_property, std::string_view media_type);

}  // namespace tidemill::epub
