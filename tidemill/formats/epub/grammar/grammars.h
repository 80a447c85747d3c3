// The grammars of the documents in a book. Each is built from its texts (grammar_files.h) on first
// use and kept. One thread.
#pragma once

#include "tidemill/formats/epub/grammar/grammar.h"

namespace tidemill::epub {

// Content documents. Those of EPUB 3 may contain SVG and MathML.
[[nodiscard]] const Grammar& xhtml5_grammar();   // EPUB 3
[[nodiscard]] const Grammar& nav_grammar();      // xhtml5 where a nav element is a navigation list
[[nodiscard]] const Grammar& xhtml11_grammar();  // EPUB 2
[[nodiscard]] const Grammar& svg_grammar();      // EPUB 3: a document whose root is svg
[[nodiscard]] const Grammar& svg11_grammar();    // EPUB 2: a document whose root is svg
[[nodiscard]] const Grammar& dtbook_grammar();

// Other documents of a package, and the package document itself.
[[nodiscard]] const Grammar& ncx_grammar();
[[nodiscard]] const Grammar& overlay_grammar();  // media overlays (SMIL)
[[nodiscard]] const Grammar& search_key_grammar();
[[nodiscard]] const Grammar& package2_grammar();
[[nodiscard]] const Grammar& package3_grammar();

// Files in META-INF.
[[nodiscard]] const Grammar& container_grammar();            // container.xml of EPUB 3
[[nodiscard]] const Grammar& container2_grammar();           // container.xml of EPUB 2
[[nodiscard]] const Grammar& encryption_grammar();           // encryption.xml
[[nodiscard]] const Grammar& signatures_grammar();           // signatures.xml
[[nodiscard]] const Grammar& renditions_metadata_grammar();  // metadata.xml, several renditions

}  // namespace tidemill::epub
