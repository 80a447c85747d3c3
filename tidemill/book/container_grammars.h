// The grammars of the files in META-INF that grammars.h does not name. One thread.
#pragma once

#include "tidemill/book/grammar.h"

namespace tidemill::book {

[[nodiscard]] const Grammar& container2_grammar();           // container.xml of EPUB 2
[[nodiscard]] const Grammar& signatures_grammar();           // signatures.xml
[[nodiscard]] const Grammar& renditions_metadata_grammar();  // metadata.xml, of several renditions

}  // namespace tidemill::book
