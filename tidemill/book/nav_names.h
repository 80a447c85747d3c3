// Namespaces of the documents that lead through a book.
#pragma once

#include <string_view>

namespace tidemill::book {

inline constexpr std::string_view kXhtmlNamespace = "http://www.w3.org/1999/xhtml";
inline constexpr std::string_view kOpsNamespace = "http://www.idpf.org/2007/ops";
inline constexpr std::string_view kNcxNamespace = "http://www.daisy.org/z3986/2005/ncx/";
inline constexpr std::string_view kSmilNamespace = "http://www.w3.org/ns/SMIL";

}  // namespace tidemill::book
