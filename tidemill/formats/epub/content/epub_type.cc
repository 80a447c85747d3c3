#include "tidemill/formats/epub/content/epub_type.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tidemill/formats/epub/content/svg_rules.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Type = std::pair<std::string_view, TypeStanding>;

constexpr auto kKnown = TypeStanding::known;
constexpr auto kOld = TypeStanding::deprecated;
constexpr auto kOverlay = TypeStanding::for_overlays;

// Sorted by name.
constexpr auto kTypes = std::to_array<Type>({
    {"abstract", kKnown},
    {"acknowledgments", kKnown},
    {"afterword", kKnown},
    {"annoref", kOld},
    {"annotation", kOld},
    {"antonym-group", kKnown},
    {"appendix", kKnown},
    {"aside", kOverlay},
    {"assessment", kKnown},
    {"backlink", kKnown},
    {"backmatter", kKnown},
    {"balloon", kKnown},
    {"biblioentry", kOld},
    {"bibliography", kKnown},
    {"biblioref", kKnown},
    {"bodymatter", kKnown},
    {"bridgehead", kOld},
    {"chapter", kKnown},
    {"colophon", kKnown},
    {"concluding-sentence", kKnown},
    {"conclusion", kKnown},
    {"condensed-entry", kKnown},
    {"contributors", kKnown},
    {"copyright-page", kKnown},
    {"cover", kKnown},
    {"covertitle", kKnown},
    {"credit", kKnown},
    {"credits", kKnown},
    {"dedication", kKnown},
    {"def", kKnown},
    {"dictentry", kKnown},
    {"dictionary", kKnown},
    {"division", kKnown},
    {"endnote", kOld},
    {"endnotes", kKnown},
    {"epigraph", kKnown},
    {"epilogue", kKnown},
    {"errata", kKnown},
    {"etymology", kKnown},
    {"example", kKnown},
    {"figure", kOverlay},
    {"footnote", kKnown},
    {"footnotes", kKnown},
    {"foreword", kKnown},
    {"frontmatter", kKnown},
    {"fulltitle", kKnown},
    {"glossary", kKnown},
    {"glossdef", kKnown},
    {"glossref", kKnown},
    {"glossterm", kKnown},
    {"gram-info", kKnown},
    {"halftitle", kKnown},
    {"halftitlepage", kKnown},
    {"help", kOld},
    {"idiom", kKnown},
    {"imprimatur", kKnown},
    {"imprint", kKnown},
    {"index", kKnown},
    {"index-editor-note", kKnown},
    {"index-entry", kKnown},
    {"index-entry-list", kKnown},
    {"index-group", kKnown},
    {"index-headnotes", kKnown},
    {"index-legend", kKnown},
    {"index-locator", kKnown},
    {"index-locator-list", kKnown},
    {"index-locator-range", kKnown},
    {"index-term", kKnown},
    {"index-term-categories", kKnown},
    {"index-term-category", kKnown},
    {"index-xref-preferred", kKnown},
    {"index-xref-related", kKnown},
    {"introduction", kKnown},
    {"keyword", kKnown},
    {"landmarks", kKnown},
    {"learning-objective", kKnown},
    {"learning-resource", kKnown},
    {"list", kOverlay},
    {"list-item", kOverlay},
    {"loa", kKnown},
    {"loi", kKnown},
    {"lot", kKnown},
    {"lov", kKnown},
    {"marginalia", kOld},
    {"note", kOld},
    {"noteref", kKnown},
    {"notice", kKnown},
    {"other-credits", kKnown},
    {"page-list", kKnown},
    {"pagebreak", kKnown},
    {"panel", kKnown},
    {"panel-group", kKnown},
    {"part", kKnown},
    {"part-of-speech", kKnown},
    {"part-of-speech-group", kKnown},
    {"part-of-speech-list", kKnown},
    {"phonetic-transcription", kKnown},
    {"phrase-group", kKnown},
    {"phrase-list", kKnown},
    {"preamble", kKnown},
    {"preface", kKnown},
    {"prologue", kKnown},
    {"pullquote", kKnown},
    {"qna", kKnown},
    {"rearnote", kOld},
    {"rearnotes", kOld},
    {"region-based", kKnown},
    {"revision-history", kKnown},
    {"sense-group", kKnown},
    {"sense-list", kKnown},
    {"sidebar", kOld},
    {"sound-area", kKnown},
    {"subchapter", kOld},
    {"subtitle", kKnown},
    {"synonym-group", kKnown},
    {"table", kOverlay},
    {"table-cell", kOverlay},
    {"table-row", kOverlay},
    {"text-area", kKnown},
    {"tip", kKnown},
    {"title", kKnown},
    {"titlepage", kKnown},
    {"toc", kKnown},
    {"topic-sentence", kKnown},
    {"tran", kKnown},
    {"tran-info", kKnown},
    {"volume", kKnown},
    {"warning", kOld},
});
static_assert(std::ranges::is_sorted(kTypes, {}, &Type::first));

}  // namespace

TypeStanding standing_of_type(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kTypes, name, {}, &Type::first);
  return found != kTypes.end() && found->first == name ? found->second : TypeStanding::unknown;
}

namespace {

constexpr auto kReserved = std::to_array<PropertyVocabulary>({
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
