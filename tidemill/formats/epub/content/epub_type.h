// The values of epub:type that need no prefix: EPUB's structural semantics vocabulary, data
// navigation, dictionaries, indexes and comics. TypeRules checks epub:type in an XHTML document and
// the prefixes it uses.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/package/vocabulary.h"

namespace tidemill::epub {

enum class TypeStanding : std::uint8_t {
  unknown,
  known,
  deprecated,
  // Duplicates the meaning of an element, so it is of use in overlays only.
  for_overlays
};
[[nodiscard]] TypeStanding standing_of_type(std::string_view name);

[[nodiscard]] inline bool is_structure_type(std::string_view name) {
  return standing_of_type(name) != TypeStanding::unknown;
}

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
