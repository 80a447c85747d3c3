// What an error of libxml2 means for a document.
#pragma once

#include <optional>

#include "tidemill/formats/xml/reader.h"

struct _xmlError;  // libxml2 gives the name. NOLINT(*-identifier,*-naming)

namespace tidemill::xml {

// Nothing: the document goes on.
[[nodiscard]] std::optional<Mistake> mistake_of(const _xmlError& error);

}  // namespace tidemill::xml
