// The grammars of a book's documents. Each is read from its text when it is first asked for, and
// kept. One thread.
#pragma once

#include "tidemill/book/grammar.h"

namespace tidemill::book {

[[nodiscard]] const Grammar&
xhtml5_grammar();  // EPUB 3 content documents, with SVG and MathML in them
[[nodiscard]] const Grammar& xhtml11_grammar();  // EPUB 2 content documents
[[nodiscard]] const Grammar& nav_grammar();      // xhtml5 where a nav element is a navigation list
[[nodiscard]] const Grammar& svg_grammar();      // a document whose root is svg
[[nodiscard]] const Grammar& dtbook_grammar();
[[nodiscard]] const Grammar& ncx_grammar();
[[nodiscard]] const Grammar& overlay_grammar();  // media overlays (SMIL)
[[nodiscard]] const Grammar& package2_grammar();
[[nodiscard]] const Grammar& package3_grammar();
[[nodiscard]] const Grammar& container_grammar();
[[nodiscard]] const Grammar& encryption_grammar();
[[nodiscard]] const Grammar& search_key_grammar();

}  // namespace tidemill::book
