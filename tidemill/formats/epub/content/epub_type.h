// The names that epub:type may have: EPUB's structural semantics and the vocabularies beside it
// that need no prefix (data navigation, dictionaries, indexes, comics); and TypeRules: what
// epub:type says in an XHTML document, and the prefixes it needs.
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
  // It says what an element says, so a content document has no use for it; an overlay has.
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
