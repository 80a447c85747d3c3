#include "tidemill/formats/epub/container/meta_inf.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// Each function consumes one construct from the front and returns whether it was present. One
// thread.
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
  LinkTarget target = resolve(url, "");
  if (!target.problem.empty()) document.report("RSC-020", at, std::string(url));
  if (target.kind != LinkTarget::Kind::inside) return {};
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
                     "an additional rootfile needs a selection attribute");
  }
  if (const auto modes = element.attribute("accessMode", kRenditionNamespace)) {
    static constexpr std::array<std::string_view, 4> kModes = {"auditory", "tactile", "textual",
                                                               "visual"};
    const auto words = words_of(*modes);
    const bool are_known = !words.empty() && std::ranges::all_of(words, [](std::string_view word) {
      return std::ranges::find(kModes, word) != kModes.end();
    });
    // With more words than modes, some word occurs twice.
    bool comes_twice = words.size() > kModes.size();
    for (const std::string_view mode : kModes) {
      comes_twice = comes_twice || (!comes_twice && std::ranges::count(words, mode) > 1);
    }
    if (!are_known || comes_twice) {
      document_.report("RSC-005", element.where,
                       "rendition:accessMode has a value that is unknown or repeated");
    }
  }
  const auto media = element.attribute("media", kRenditionNamespace);
  if (media && !is_media_query_list(*media)) {
    document_.report("RSC-005", element.where,
                     "rendition:media is not a media query: \"" + std::string(*media) + "\"");
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

// encryption.xml
namespace {

constexpr std::string_view kObfuscation = "http://www.idpf.org/2008/embedding";
constexpr std::string_view kAdobeMangling = "http://ns.adobe.com/pdf/enc#RC";
constexpr std::string_view kAdobe = "http://ns.adobe.com/digitaleditions/enc";
constexpr std::size_t kMostIds = 100'000;

}  // namespace

void EncryptionReader::start(const xml::Element& element) {
  if (const auto id = element.attribute("Id"); id && ids_.size() < kMostIds) {
    ids_[std::string(*id)].push_back(element.where);
  }
  if (element.name == "CipherReference") reference(element);
  if (element.name == "EncryptionMethod" && !open_.empty() && !open_.back().has_compression) {
    if (const auto algorithm = element.attribute("Algorithm")) {
      open_.back().algorithm = *algorithm;
    }
  }
  open_.push_back({.name = std::string(element.name),
                   .has_compression = element.attribute("compression", kAdobe).has_value()});
}

void EncryptionReader::end(const xml::Element& /*element*/) { open_.pop_back(); }

void EncryptionReader::reference(const xml::Element& element) {
  const auto uri = element.attribute("URI");
  if (!uri) return;  // the grammar reports it
  std::string path = path_in_book(document_, *uri, element.where);
  if (path.empty()) return;
  if (!document_.book->has_entry(path)) {
    document_.report("RSC-007", element.where, std::string(*uri));
    return;
  }
  std::string_view algorithm;
  if (open_.size() >= 2 && open_[open_.size() - 2].name == "EncryptedData") {
    algorithm = open_[open_.size() - 2].algorithm;
  }
  if (algorithm == kObfuscation) {
    container_.obfuscated.insert(std::move(path));
  } else if (algorithm != kAdobeMangling) {
    const auto [place, is_new] = container_.encrypted.insert(std::move(path));
    if (is_new) document_.book->findings.add("RSC-004", *place, {});
  }
}

void EncryptionReader::finish() {
  for (const auto& [id, places] : ids_) {
    if (places.size() < 2) continue;
    for (const xml::Position at : places) {
      document_.report("RSC-005", at, "the Id \"" + id + "\" is used more than once");
    }
  }
}

// metadata.xml and the mapping document
void RenditionsMetadata::start(const xml::Element& element) {
  if (element.ns == kMetadataNamespace && element.name == "metadata") {
    is_metadata_ = true;
    root_ = element.where;
    unique_identifier_ = element.attribute("unique-identifier").value_or("");
  } else if (element.ns == kDublinNamespace && element.name == "identifier") {
    identifiers_.emplace(element.attribute("id").value_or(""));
  } else if (element.ns == kDublinNamespace && element.name == "type") {
    asked_ = "type";
    value_.clear();
  } else if (element.ns == kMetadataNamespace && element.name == "meta" &&
             element.attribute("property").value_or("") == "dcterms:modified") {
    asked_ = "meta";
    value_.clear();
    if (!element.attribute("refines")) ++modified_;
  }
}

void RenditionsMetadata::end(const xml::Element& element) {
  if (asked_.empty() || element.name != asked_) return;
  const std::string_view value = trimmed(value_);
  if (asked_ == "type") {
    is_edupub_ = is_edupub_ || value == "edupub";
  } else if (!is_modified_date(value)) {
    document_.report("RSC-005", element.where,
                     "dcterms:modified is not in the format CCYY-MM-DDThh:mm:ssZ");
  }
  asked_ = {};
}

void RenditionsMetadata::text(std::string_view part, xml::Position /*where*/) {
  constexpr std::size_t kEnough = 200;
  if (!asked_.empty() && value_.size() < kEnough) value_ += part;
}

void RenditionsMetadata::finish() {
  if (!is_metadata_) return;
  if (!unique_identifier_.empty() && !identifiers_.contains(unique_identifier_)) {
    document_.report("RSC-005", root_, "unique-identifier does not name a dc:identifier");
  }
  if (modified_ != 1) {
    document_.report("RSC-005", root_, "dcterms:modified must occur exactly once");
  }
  if (document_.book->profile == Profile::education && !is_edupub_) {
    document_.report("RSC-005", root_, "a dc:type \"edupub\" is missing");
  }
}

void MappingRules::start(const xml::Element& element) {
  if (element.ns != kXhtmlNamespace) return;
  if (element.name == "meta") {
    has_version_ = has_version_ ||
                   (element.attribute("name").value_or("") == "epub.multiple.renditions.version" &&
                    element.attribute("content").value_or("") == "1.0");
  } else if (element.name == "nav") {
    const std::string_view type = element.attribute("type", kOpsNamespace).value_or("");
    if (has_word(type, "resource-map")) ++maps_;
    has_untyped_ = has_untyped_ || is_blank(type);
  }
}

void MappingRules::end(const xml::Element& element) {
  if (element.ns != kXhtmlNamespace) return;
  if (element.name == "head" && !has_version_) {
    document_.report("RSC-005", element.where,
                     "a meta epub.multiple.renditions.version with the content 1.0 is missing");
  }
  if (element.name != "body") return;
  if (maps_ != 1) {
    document_.report("RSC-005", element.where, "there must be exactly one nav resource-map");
  }
  if (has_untyped_) {
    document_.report("RSC-005", element.where, "a nav element has no epub:type");
  }
}

}  // namespace tidemill::epub
