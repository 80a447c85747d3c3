// A book of several renditions: META-INF/metadata.xml, and the document that maps one rendition to
// the other. All of it is RSC-005.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread. META-INF/metadata.xml: the identifier it names is there, and it says once when it was
// modified; a book for education says so.
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

// One thread. The mapping document: its version, and exactly one list of resources.
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
