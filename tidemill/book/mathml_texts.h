// MathML 3 as a text of the grammar language: presentation markup, and annotations with what EPUB
// allows in them. The type of the outermost element is `math`. It has no start.
//
// It needs XHTML (the contents `phrasing` and `flow`) and SVG (the type `svg`) as its neighbours.
#pragma once

#include <span>
#include <string_view>

namespace tidemill::book {

[[nodiscard]] std::span<const std::string_view> mathml_grammar_texts();

}  // namespace tidemill::book
