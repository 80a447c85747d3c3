// Reads the encoding and version that the first bytes of an XML document claim, before a parser
// relies on them.
#pragma once

#include <string_view>

#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::xml {

// `head` is the beginning of a document; at most 512 bytes of it are read.
[[nodiscard]] Prolog prolog_of(std::string_view head);
// True with a UTF-8 byte order mark; without any mark, if the document does not look like UTF-16 or
// UTF-32 and declares UTF-8 or nothing.
[[nodiscard]] bool is_utf8(const Prolog& prolog);
// True if the declared encoding name is invalid, although libxml2 would accept it: "utf8", "utf16".
[[nodiscard]] bool names_no_encoding(const Prolog& prolog);

}  // namespace tidemill::xml
