// Checks CSS and collects its references (fonts, images, imported sheets). Reports into the
// document's book; nothing here fails.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// A style sheet: an entry of its own (its encoding is checked too), or a style element whose text
// begins at `start`.
void check_css(Document& document, std::string_view css, xml::Position start);

// A style attribute.
void check_style_attribute(Document& document, std::string_view css, xml::Position start);

}  // namespace tidemill::epub
