// Readers for the documents of META-INF: container.xml lists the package documents, encryption.xml
// lists the obfuscated and encrypted files, and metadata.xml and the rendition mapping document
// describe a book with several renditions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// Resolves a URL in META-INF, which is relative to the root of the book, not to META-INF. Reports
// invalid URLs (RSC-020) and URLs that leave the book (RSC-026). Empty: not inside the book.
[[nodiscard]] std::string path_in_book(const Document& document, std::string_view url,
                                       xml::Position at);

// One thread. Reads container.xml the first time, before the edition is known: OPF-016, OPF-017.
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

// One thread. Rules of container.xml that the EPUB 3 grammar cannot express: how renditions are
// selected (RSC-005, RSC-017).
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

// A list of media queries, the value of rendition:media: "all and (min-width: 1px), (color)".
[[nodiscard]] bool is_media_query_list(std::string_view text);

// One thread. encryption.xml. Fonts obfuscated by the EPUB algorithm go to Container::obfuscated;
// fonts mangled by Adobe's algorithm are ignored; everything else is encrypted by DRM (RSC-004). A
// file that is not in the book is RSC-007.
class EncryptionReader final : public xml::Handler {
 public:
  EncryptionReader(const Document& document, Container& container)
      : document_(document), container_(container) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;

  // Reports duplicate ids (RSC-005).
  void finish();

 private:
  // An open element, with what it says about the encryption of its content.
  struct Frame {
    std::string name{};
    std::string algorithm{};
    bool has_compression = false;
  };

  void reference(const xml::Element& element);

  const Document& document_;
  Container& container_;
  std::vector<Frame> open_{};
  std::unordered_map<std::string, std::vector<xml::Position>> ids_{};
};

// One thread. META-INF/metadata.xml: unique-identifier names a dc:identifier, dcterms:modified
// occurs exactly once, and under Profile::education there is a dc:type "edupub". All faults are
// RSC-005.
class RenditionsMetadata final : public xml::Handler {
 public:
  explicit RenditionsMetadata(const Document& document) : document_(document) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  void finish();

 private:
  const Document& document_;
  bool is_metadata_ = false;
  std::string unique_identifier_{};
  std::unordered_set<std::string> identifiers_{};
  xml::Position root_{};
  std::size_t modified_ = 0;
  bool is_edupub_ = false;
  std::string_view asked_{};  // the element whose text is collected: "meta", "type"; empty: none
  std::string value_{};
};

// One thread. The mapping document: its version, and exactly one list of resources (RSC-005).
class MappingRules final : public xml::Handler {
 public:
  explicit MappingRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;

 private:
  const Document& document_;
  bool has_version_ = false;
  std::size_t maps_ = 0;
  bool has_untyped_ = false;
};

}  // namespace tidemill::epub
