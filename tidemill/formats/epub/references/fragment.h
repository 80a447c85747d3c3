// What the part after '#' means. It depends on what it points into: in XHTML and SVG an element's
// id, a media fragment (t=10,20), or a scheme (epubcfi(…), svgView(…)).
#pragma once

#include <string>
#include <string_view>

#include "tidemill/formats/epub/references/url.h"

namespace tidemill::epub {

struct Fragment {
  bool exists = false;
  bool is_valid = true;  // by the rules of the media type
  std::string id{};      // empty: it names no element
  std::string scheme{};  // of "scheme(…)"
};

[[nodiscard]] Fragment read_fragment(const Target& target, std::string_view media_type);

}  // namespace tidemill::epub
