// The characters that HTML has names for: &nbsp; is U+00A0. XML knows five of them only.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::xml {

// The code of the character with this name; 0: HTML knows none.
[[nodiscard]] std::uint32_t html_entity(std::string_view name);

}  // namespace tidemill::xml
