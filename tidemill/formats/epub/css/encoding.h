// Detects the encoding of a style sheet from its first bytes: a byte order mark or @charset.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::epub {

struct CssEncoding {
  std::string name = "utf-8";  // lower case, as declared
  std::size_t mark = 0;        // size of the byte order mark
};

[[nodiscard]] CssEncoding encoding_of_css(std::string_view bytes);

// The text in UTF-8, without the byte order mark. Text in an encoding other than UTF-16 and UTF-32
// is returned unchanged: the syntax of CSS is ASCII.
[[nodiscard]] std::string utf8_of_css(std::string_view bytes, const CssEncoding& encoding);

}  // namespace tidemill::epub
