// unescape: the text between the quotes of a JSON string. The escapes must have been found to be
// right (jsonl::check_string). What comes out is never longer, so it may be written where it was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::import {

// Writes to `out`, which has room for inside.size() bytes or is inside.data() itself.
[[nodiscard]] std::size_t unescape(std::string_view inside, char* out);
[[nodiscard]] std::string unescaped(std::string_view inside);

}  // namespace tidemill::import
