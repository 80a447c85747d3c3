// META-INF/container.xml: where the package documents are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// A URL in META-INF is relative to the root of the book, not to META-INF. Reports what is no URL
// (RSC-020) and what leads out (RSC-026); the path is empty when it is not inside.
[[nodiscard]] std::string path_in_book(const Document& document, std::string_view url,
                                       xml::Position at);

// One thread. Reads it the first time, before the edition is known: OPF-016, OPF-017.
class ContainerReader final : public xml::Handler {
 public:
  explicit ContainerReader(const Document& document) : document_(document) {}

  bool has_dtd(const xml::Doctype& doctype) override { return is_known_dtd(doctype); }
  void start(const xml::Element& element) override;

  [[nodiscard]] std::size_t packages() const { return packages_.size(); }
  // The package documents, then the others.
  [[nodiscard]] std::vector<Container::Rootfile> rootfiles() const;
  // The last document that maps renditions to each other; empty: none.
  [[nodiscard]] const std::string& mapping() const { return mapping_; }

 private:
  void rootfile(const xml::Element& element);

  const Document& document_;
  std::vector<Container::Rootfile> packages_{};
  std::vector<Container::Rootfile> others_{};
  std::string mapping_{};
};

// One thread. What the grammar of EPUB 3 cannot say: how renditions are chosen (RSC-005, RSC-017).
class ContainerRules final : public xml::Handler {
 public:
  explicit ContainerRules(const Document& document) : document_(document) {}

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;

 private:
  void rootfile(const xml::Element& element);
  void link(const xml::Element& element);

  const Document& document_;
  std::size_t rootfiles_ = 0;
  std::size_t mappings_ = 0;
};

// A list of media queries as rendition:media has it: "all and (min-width: 1px), (color)".
[[nodiscard]] bool is_media_query_list(std::string_view text);

}  // namespace tidemill::epub
