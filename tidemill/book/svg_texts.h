// SVG as texts of the grammar language, to be joined with others into one grammar.
//
// Two of them, for EPUB holds SVG to two measures: in EPUB 3 nearly everything inside svg is let
// pass, only what stands in title and foreignObject is looked at; EPUB 2 wants SVG 1.1 to the
// letter. The type of the outermost element is `svg` in both. Neither has a start.
//
// svg_grammar_texts() needs XHTML as its neighbour (the content `flow`, the types `html` and
// `body`); svg11_grammar_texts() needs nothing. In both a neighbour may add to the content
// `svg-island` what else may stand in a foreignObject.
#pragma once

#include <span>
#include <string_view>

#include "tidemill/book/grammar.h"

namespace tidemill::book {

[[nodiscard]] std::span<const std::string_view> svg_grammar_texts();    // EPUB 3
[[nodiscard]] std::span<const std::string_view> svg11_grammar_texts();  // EPUB 2

// EPUB 2: a document whose root is svg. (That of EPUB 3 is svg_grammar().) One thread.
[[nodiscard]] const Grammar& svg11_grammar();

}  // namespace tidemill::book
