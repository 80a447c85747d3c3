// What the first bytes of an XML document say of its encoding and version, before any parser
// believes them.
#pragma once

#include <string_view>

#include "tidemill/formats/xml/reader.h"

namespace tidemill::xml {

// From the beginning of a document; a few hundred bytes are enough.
[[nodiscard]] Prolog prolog_of(std::string_view head);
// By its mark, or for want of another claim.
[[nodiscard]] bool is_utf8(const Prolog& prolog);
// It claims an encoding by a name that is none, though the library knows what is meant: "utf8".
[[nodiscard]] bool names_no_encoding(const Prolog& prolog);

}  // namespace tidemill::xml
