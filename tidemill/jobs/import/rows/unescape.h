// unescape: resolves the escapes in the text between the quotes of a JSON string. They must be
// valid (jsonl::check_string). The result is never longer, so it can be written in place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::import {

// Writes to `out`, which has room for inside.size() bytes or is inside.data() itself. Returns the
// size of the result.
[[nodiscard]] std::size_t unescape(std::string_view inside, char* out);
[[nodiscard]] std::string unescaped(std::string_view inside);

}  // namespace tidemill::import
