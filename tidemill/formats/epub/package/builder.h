// OpfBuilder: turns the elements of a package document, one by one, into a Package and OpfFacts.
// Reports the faults of a single element at once. PackageReader tracks the position in the document
// and calls the function for each element.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The book must outlive it.
class OpfBuilder {
 public:
  OpfBuilder(Inspection& book, OpfFacts& facts) : book_(book), facts_(facts) {}

  // The root element. Sets the edition.
  void package(const xml::Element& element);
  // Attributes that any element may have: id, xml:lang.
  void common(const xml::Element& element);
  void item(const xml::Element& element);
  void spine(const xml::Element& element);
  void itemref(const xml::Element& element);
  void guide_reference(const xml::Element& element);
  void link(const xml::Element& element, bool is_in_metadata);
  void begin_metadata(const xml::Element& element);
  void end_metadata();
  void begin_collection(const xml::Element& element);
  void end_collection();
  // Start of a dc element or a meta; end_statement() completes it with its text.
  void begin_dublin(const xml::Element& element);
  void begin_meta(const xml::Element& element);
  void end_statement(std::string_view text);

  void report(RuleId rule, xml::Position at, std::string detail = {}) const;
  [[nodiscard]] bool is_known_version() const { return is_known_version_; }
  // After the last element.
  void finish();
  void check_identifier() const;  // OPF-030

 private:
  [[nodiscard]] bool is_epub3() const { return book_.package.edition == Edition::epub3; }
  [[nodiscard]] LinkTarget target_of(std::string_view url, xml::Position at) const;
  void refer(Use use, const std::string& url, const LinkTarget& target, xml::Position at);
  [[nodiscard]] std::size_t outermost_collection() const;
  [[nodiscard]] FaultListener listener(xml::Position at) const;
  void choose_edition(const xml::Element& element);
  void language(std::string_view tag, xml::Position at) const;
  void language_attribute(std::string_view name, std::string_view value, xml::Position at) const;
  void item_properties(Item& item, const xml::Element& element) const;
  void link_media_type(const MetadataLink& link, const xml::Element& element,
                       const std::vector<Property>& rels, bool is_in_metadata) const;
  void keep_link(MetadataLink link, bool is_in_metadata);
  void end_dublin(const MetadataStatement& statement, std::string_view text);
  void end_identifier(const MetadataStatement& statement, std::string_view text);
  void end_meta(const MetadataStatement& statement);
  void end_date(const MetadataStatement& statement, std::string_view text) const;

  Inspection& book_;
  OpfFacts& facts_;
  bool is_known_version_ = true;
  std::size_t metadata_count_ = 0;
  std::size_t open_metadata_ = kNone;
  std::vector<std::size_t> open_collections_{};  // positions in facts, outermost first
  std::vector<Collection> building_{};           // the same collections, for the Package
  std::string open_id_{};                        // of the open dc:identifier, as written
  std::string open_scheme_{};
  std::string page_map_{};
  xml::Position page_map_at_{};
};

}  // namespace tidemill::epub
