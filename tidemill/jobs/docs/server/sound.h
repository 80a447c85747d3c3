// sound(): makes a text valid UTF-8, so that it can be written as JSON. Our texts come from JSON
// and are valid already; if one was cut in the middle of a character, each invalid byte becomes
// U+FFFD.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tidemill/formats/text/utf8.h"

namespace tidemill::docs {

[[nodiscard]] inline std::string sound(std::string_view bytes) {
  if (text::is_utf8(bytes)) return std::string(bytes);
  std::string made;
  while (!bytes.empty()) {
    const std::size_t length = text::front_character(bytes).length;
    made += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return made;
}

}  // namespace tidemill::docs
