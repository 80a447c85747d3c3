// TypeRules: epub:type and the prefixes it needs.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/package/vocabulary.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class TypeRules {
 public:
  explicit TypeRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element, Tag tag);

 private:
  void read_prefixes_of(const xml::Element& html);
  void check_type(std::string_view type, xml::Position where);
  void check_plain_type(std::string_view type, xml::Position where);

  const Document& document_;
  Prefixes declared_;
};

}  // namespace tidemill::epub
