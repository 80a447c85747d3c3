// Interprets a URL fragment, the part after '#', by the media type of the target: an element's id
// in XHTML and SVG, a media fragment (t=10,20), or a scheme (epubcfi(…), svgView(…)).
#pragma once

#include <string>
#include <string_view>

#include "tidemill/formats/epub/references/url.h"

namespace tidemill::epub {

struct Fragment {
  bool exists = false;
  bool is_valid = true;  // by the rules of the media type
  std::string id{};      // empty: does not name an element
  std::string scheme{};  // of "scheme(…)"
};

[[nodiscard]] Fragment read_fragment(const LinkTarget& target, std::string_view media_type);

}  // namespace tidemill::epub
