// The encoding of a style sheet, as its first bytes say: a byte order mark, or @charset.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::epub {

struct CssEncoding {
  std::string name = "utf-8";  // lower case, as declared
  std::size_t mark = 0;        // bytes of the mark
};

[[nodiscard]] CssEncoding encoding_of_css(std::string_view bytes);

// The text in UTF-8, without the mark. Encodings that are neither UTF-16 nor UTF-32 come back as
// they are: what matters in CSS is ASCII.
[[nodiscard]] std::string utf8_of_css(std::string_view bytes, const CssEncoding& encoding);

}  // namespace tidemill::epub
