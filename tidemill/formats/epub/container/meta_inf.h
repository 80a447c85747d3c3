// The documents of META-INF, a reader for each: container.xml says where the package documents are,
// encryption.xml what of the book is obfuscated or encrypted, metadata.xml and the document that
// maps one rendition to the other what a book of several renditions is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// A URL in META-INF is relative to the root of the book, not to META-INF. Reports what is no URL
// (RSC-020) and what leads out (RSC-026); the path is empty when it is not inside.
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

// One thread. encryption.xml. Fonts obfuscated the way EPUB describes go to Container::obfuscated;
// those mangled the way Adobe does are let be; all else is encrypted, for DRM (RSC-004). What is
// not in the book is RSC-007.
class EncryptionReader final : public xml::Handler {
 public:
  EncryptionReader(const Document& document, Container& container)
      : document_(document), container_(container) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;

  // Ids that come twice (RSC-005).
  void finish();

 private:
  // An open element, as far as it says how its content is encrypted.
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

// One thread. META-INF/metadata.xml: the identifier it names is there, and it says once when it was
// modified; a book for education says so. All of it is RSC-005.
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
  std::string_view asked_{};  // whose text is kept: "meta", "type"; empty: nobody's
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
