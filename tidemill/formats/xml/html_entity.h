// Looks up the named characters of HTML: &nbsp; is U+00A0. XML itself defines only five names.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::xml {

// The code point of the character with this name; 0: HTML does not define the name.
[[nodiscard]] std::uint32_t html_entity(std::string_view name);

}  // namespace tidemill::xml
