// The script of the pages of `serve`, page_script.js of this folder, embedded in the program. The
// functions are in a file that cmake/embedded_text.cmake writes.
#pragma once

#include <string_view>

namespace tidemill::app {

[[nodiscard]] std::string_view page_script();
// SHA-256 of its bytes, in hexadecimal digits.
[[nodiscard]] std::string_view page_script_hash();

}  // namespace tidemill::app
