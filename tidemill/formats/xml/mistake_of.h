// Translates an error of libxml2 into the Mistake that ends a document.
#pragma once

#include <optional>

#include "tidemill/formats/xml/xml_reader.h"

struct _xmlError;  // libxml2 gives the name. NOLINT(*-identifier,*-naming)

namespace tidemill::xml {

// nullopt: parsing continues.
[[nodiscard]] std::optional<Mistake> mistake_of(const _xmlError& error);

}  // namespace tidemill::xml
