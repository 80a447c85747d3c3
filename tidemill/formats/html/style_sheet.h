// The style sheet of all pages, style.css of this folder, embedded in the program. The functions
// are in a file that cmake/embedded_text.cmake writes.
#pragma once

#include <string_view>

namespace tidemill::html {

[[nodiscard]] std::string_view style_sheet();
// SHA-256 of its bytes, in hexadecimal digits.
[[nodiscard]] std::string_view style_sheet_hash();

}  // namespace tidemill::html
