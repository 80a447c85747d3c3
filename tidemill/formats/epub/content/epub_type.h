// The names that epub:type may have: EPUB's structural semantics and the vocabularies beside it
// that need no prefix (data navigation, dictionaries, indexes, comics).
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace tidemill::epub
