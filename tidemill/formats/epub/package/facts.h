// Facts about a package document that the checks need beyond the Package: every metadata statement,
// the ids, the structure of the collections. PackageReader fills them; the checks below run after
// the end of the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// A dc element, a meta or a link in a metadata element. Texts have normalized white space.
struct MetadataStatement {
  enum class Kind : std::uint8_t { dublin, meta, link };
  Kind kind = Kind::meta;
  std::string name{};  // dublin: "title"; meta: its property; link: its rel
  std::string id{};
  std::optional<std::string> refines{};
  std::string value{};
  std::size_t metadata = kNone;    // number of the metadata element that contains it
  std::size_t collection = kNone;  // the outermost collection around it
  xml::Position at{};
};

// An id and its position.
struct IdPlace {
  std::string id{};
  std::size_t collection = kNone;  // the outermost collection around it
  xml::Position at{};
};

struct CollectionFacts {
  std::vector<std::string> roles{};
  std::string role{};  // as written
  std::size_t parent = kNone;
  std::size_t metadata = kNone;  // its metadata element
  std::size_t links = 0;
  std::vector<std::size_t> parts{};
  xml::Position at{};

  [[nodiscard]] bool has_role(std::string_view wanted) const;
};

// One thread.
struct OpfFacts {
  std::vector<MetadataStatement> statements{};
  std::map<std::tuple<std::size_t, MetadataStatement::Kind, std::string>, std::size_t> counts{};
  std::vector<IdPlace> ids{};  // in the order of the document
  std::unordered_map<std::string, std::size_t> id_counts{};
  std::vector<CollectionFacts> collections{};
  std::size_t metadata = kNone;  // number of the package's own metadata element; kNone: none
  xml::Position metadata_at{};
  bool has_manifest = false;
  xml::Position manifest_at{};
  std::optional<std::string> toc{};  // spine@toc, normalized
  bool has_spine = false;
  xml::Position spine_at{};
  xml::Position package_at{};

  void add(MetadataStatement statement);
  // The number of such statements in that metadata element; 0 for kNone.
  [[nodiscard]] std::size_t count(std::size_t metadata_element, MetadataStatement::Kind kind,
                                  std::string_view name) const;
};

// Context of the checks of one package document.
struct OpfCheck {
  Inspection* book = nullptr;
  const OpfFacts* facts = nullptr;

  [[nodiscard]] const Package& package() const { return book->package; }
  void report(RuleId rule, xml::Position at, std::string detail = {}) const {
    book->findings.add(rule, package().path, at, std::move(detail));
  }
};

// metadata.cc, EPUB 3 only
void check_metadata(const OpfCheck& check);
void check_refinements(const OpfCheck& check);
// rendition.cc, EPUB 3 only
void check_rendition(const OpfCheck& check);
void check_overlay_metadata(const OpfCheck& check);
// collections.cc, EPUB 3 only
void check_collection_shapes(const OpfCheck& check);
// items.cc, both editions
void check_ids(const OpfCheck& check);
void check_items(const OpfCheck& check);
void check_spine(const OpfCheck& check);
void check_guide_twins(const OpfCheck& check);
void check_fallbacks(const OpfCheck& check);  // also fills Item::leads_to_document
// profiles.cc, EPUB 3 only: requirements of the book's dc:type or of the requested profile
void check_profiles(const OpfCheck& check);

}  // namespace tidemill::epub
