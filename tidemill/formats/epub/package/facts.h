// What a package document says, as far as the checks need it beyond the Package: each statement of
// its metadata, the ids, the shape of its collections. PackageReader fills this; the checks below
// read it when the document has ended.
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

// A dc element, a meta or a link of some metadata. Texts are normalized.
struct Statement {
  enum class Kind : std::uint8_t { dublin, meta, link };
  Kind kind = Kind::meta;
  std::string name{};  // of dublin: "title"; of meta: its property; of link: its rel
  std::string id{};
  std::optional<std::string> refines{};
  std::string value{};
  std::size_t metadata = kNone;    // the how-manieth metadata element it stands in
  std::size_t collection = kNone;  // the outermost collection around it
  xml::Position at{};
};

// An id, where it stands.
struct IdPlace {
  std::string id{};
  std::size_t collection = kNone;  // the outermost around it
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
  std::vector<Statement> statements{};
  std::map<std::tuple<std::size_t, Statement::Kind, std::string>, std::size_t> counts{};
  std::vector<IdPlace> ids{};  // in the order of the document
  std::unordered_map<std::string, std::size_t> id_counts{};
  std::vector<CollectionFacts> collections{};
  std::size_t metadata = kNone;  // the package's own metadata element; kNone: there is none
  xml::Position metadata_at{};
  bool has_manifest = false;
  xml::Position manifest_at{};
  std::optional<std::string> toc{};  // spine@toc, normalized
  bool has_spine = false;
  xml::Position spine_at{};
  xml::Position package_at{};

  void add(Statement statement);
  // How many such statements that metadata element has; of no element: none.
  [[nodiscard]] std::size_t count(std::size_t metadata_element, Statement::Kind kind,
                                  std::string_view name) const;
};

// The checks of one package document: where they report.
struct OpfCheck {
  Inspection* book = nullptr;
  const OpfFacts* facts = nullptr;

  [[nodiscard]] const Package& package() const { return book->package; }
  void report(RuleId rule, xml::Position at, std::string detail = {}) const {
    book->findings.add(rule, package().path, at, std::move(detail));
  }
};

// metadata.cc, of EPUB 3
void check_metadata(const OpfCheck& check);
void check_refinements(const OpfCheck& check);
// rendition.cc, of EPUB 3
void check_rendition(const OpfCheck& check);
void check_overlay_metadata(const OpfCheck& check);
// collections.cc, of EPUB 3
void check_collection_shapes(const OpfCheck& check);
// items.cc, of both editions
void check_ids(const OpfCheck& check);
void check_items(const OpfCheck& check);
void check_spine(const OpfCheck& check);
void check_guide_twins(const OpfCheck& check);
void check_fallbacks(const OpfCheck& check);  // also fills Item::leads_to_document
// profiles.cc: what the book's type or the asked-for profile wants
void check_profiles(const OpfCheck& check);

}  // namespace tidemill::epub
