// sound: a text that may be written as JSON, whatever it came from. Our texts come out of JSON and
// are UTF-8 already, and then nothing changes; should one have been cut in the middle of a
// character, U+FFFD stands for each byte that is none.
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
