#include "tidemill/formats/epub/container/meta_inf.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// Takes from the front; each says whether it was there. One thread.
class QueryText {
 public:
  explicit QueryText(std::string_view text) : rest_(text) {}

  bool space() {
    const std::size_t length = std::min(rest_.find_first_not_of(kXmlSpace), rest_.size());
    rest_.remove_prefix(length);
    return length > 0;
  }
  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool feature() {  // "(min-width: 1px)"
    const std::size_t end = rest_.find_first_of(">)");
    if (!rest_.starts_with('(') || end < 2 || end == std::string_view::npos || rest_[end] != ')') {
      return false;
    }
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool query() {
    space();
    if (!feature()) {
      if ((word("only") || word("not")) && !space()) return false;
      if (!word("all")) return false;
    }
    while (space() && word("and")) {
      if (!space() || !feature()) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string path_in_book(const Document& document, std::string_view url, xml::Position at) {
  Target target = resolve(url, "");
  if (!target.problem.empty()) document.report("RSC-020", at, std::string(url));
  if (target.kind != Target::Kind::inside) return {};
  if (target.leaks) document.report("RSC-026", at, std::string(url));
  return std::move(target.path);
}

void ContainerReader::start(const xml::Element& element) {
  if (element.ns != kContainerNamespace) return;
  if (element.name == "rootfile") rootfile(element);
  if (element.name != "link") return;
  const std::string_view href = trimmed(element.attribute("href").value_or(""));
  if (trimmed(element.attribute("rel").value_or("")) == "mapping" && !href.empty()) {
    mapping_ = path_in_book(document_, href, element.where);
  }
}

void ContainerReader::rootfile(const xml::Element& element) {
  const auto full_path = element.attribute("full-path");
  if (!full_path) {
    document_.report("OPF-016", element.where);
    return;
  }
  if (trimmed(*full_path).empty()) {
    document_.report("OPF-017", element.where);
    return;
  }
  Container::Rootfile found{
      .path = path_in_book(document_, *full_path, element.where),
      .media_type = std::string(trimmed(element.attribute("media-type").value_or("")))};
  auto& list = found.media_type == kPackageType ? packages_ : others_;
  if (!found.path.empty()) list.push_back(std::move(found));
}

std::vector<Container::Rootfile> ContainerReader::rootfiles() const {
  std::vector<Container::Rootfile> all = packages_;
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

void ContainerRules::doctype(const xml::Doctype& doctype, xml::Position where) {
  check_doctype(document_, doctype, kXmlType, where);
}

void ContainerRules::start(const xml::Element& element) {
  if (element.ns != kContainerNamespace) return;
  if (element.name == "rootfile") rootfile(element);
  if (element.name == "link") link(element);
}

void ContainerRules::rootfile(const xml::Element& element) {
  ++rootfiles_;
  const bool is_chosen = std::ranges::any_of(
      element.attributes, [](const xml::Attribute& one) { return one.ns == kRenditionNamespace; });
  if (rootfiles_ > 1 && !is_chosen) {
    document_.report("RSC-017", element.where,
                     "a further rootfile needs an attribute by which it is chosen");
  }
  if (const auto modes = element.attribute("accessMode", kRenditionNamespace)) {
    static constexpr std::array<std::string_view, 4> kModes = {"auditory", "tactile", "textual",
                                                               "visual"};
    const auto words = words_of(*modes);
    const bool are_known = !words.empty() && std::ranges::all_of(words, [](std::string_view word) {
      return std::ranges::find(kModes, word) != kModes.end();
    });
    // With more words than there are modes, one comes twice.
    bool comes_twice = words.size() > kModes.size();
    for (const std::string_view mode : kModes) {
      comes_twice = comes_twice || (!comes_twice && std::ranges::count(words, mode) > 1);
    }
    if (!are_known || comes_twice) {
      document_.report("RSC-005", element.where,
                       "rendition:accessMode has a value that is unknown or comes twice");
    }
  }
  const auto media = element.attribute("media", kRenditionNamespace);
  if (media && !is_media_query_list(*media)) {
    document_.report("RSC-005", element.where,
                     "rendition:media is no media query: \"" + std::string(*media) + "\"");
  }
}

void ContainerRules::link(const xml::Element& element) {
  if (trimmed(element.attribute("rel").value_or("")) != "mapping") return;
  if (++mappings_ == 2) {
    document_.report("RSC-005", element.where, "there is more than one mapping document");
  }
  if (trimmed(element.attribute("media-type").value_or("")) != kXhtmlType) {
    document_.report("RSC-005", element.where,
                     "a mapping document must have the media type application/xhtml+xml");
  }
}

bool is_media_query_list(std::string_view text) {
  QueryText rest(text);
  do {
    if (!rest.query()) return false;
    rest.space();
  } while (rest.word(","));
  return rest.is_at_end();
}

}  // namespace tidemill::epub
