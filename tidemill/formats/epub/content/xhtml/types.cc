#include "tidemill/formats/epub/content/xhtml/types.h"

#include <array>
#include <string>

#include "tidemill/formats/epub/content/epub_type.h"
#include "tidemill/formats/epub/content/svg_rules.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

constexpr auto kReserved = std::to_array<Vocabulary>({
    {.prefix = "msv",
     .uri = "http://www.idpf.org/epub/vocab/structure/magazine/#",
     .terms = {},
     .is_open = true},
    {.prefix = "prism",
     .uri = "http://www.prismstandard.org/specifications/3.0/PRISM_CV_Spec_3.0.htm#",
     .terms = {},
     .is_open = true},
});
constexpr auto kDefaults =
    std::to_array<std::string_view>({"http://www.idpf.org/epub/vocab/structure/#"});

}  // namespace

void TypeRules::start(const xml::Element& element, Tag tag) {
  if (tag == Tag::html) read_prefixes_of(element);
  if (element.ns == kSvgNamespace) check_epub_attributes(document_, element, false);
  const auto types = element.attribute("type", kOpsNamespace);
  if (!types) return;
  std::string_view rest = *types;
  for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
    check_type(word, element.where);
  }
}

void TypeRules::read_prefixes_of(const xml::Element& html) {
  const auto value = html.attribute("prefix", kOpsNamespace);
  if (!value) return;
  const auto tell = [&](RuleId rule, std::string detail) {
    document_.report(rule, html.where, std::move(detail));
  };
  declared_ = read_prefixes(*value, kReserved, kDefaults, tell);
}

void TypeRules::check_type(std::string_view type, xml::Position where) {
  const std::size_t colon = type.find(':');
  if (colon == std::string_view::npos) return check_plain_type(type, where);
  const std::string_view prefix = type.substr(0, colon);
  if (prefix.empty() || colon + 1 == type.size()) {
    return document_.report("OPF-026", where, std::string(type));
  }
  const bool is_known = prefix == "msv" || prefix == "prism" ||
                        declared_.find(std::string(prefix)) != declared_.end();
  if (!is_known) document_.report("OPF-028", where, std::string(prefix));
}

void TypeRules::check_plain_type(std::string_view type, xml::Position where) {
  switch (standing_of_type(type)) {
    case TypeStanding::unknown:
      return document_.report("OPF-088", where, std::string(type));
    case TypeStanding::deprecated:
      return document_.report("OPF-086b", where, std::string(type));
    case TypeStanding::for_overlays:
      return document_.report("OPF-087", where, std::string(type));
    case TypeStanding::known:
      break;
  }
  if (type == "pagebreak") document_.traits().has_page_breaks = true;
  if (type == "index") document_.traits().has_index = true;
  if (type == "dictionary") document_.traits().has_dictionary = true;
}

}  // namespace tidemill::epub
