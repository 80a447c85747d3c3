// The files of tidemill/formats/epub/grammar/grammars, embedded in the program: NAME_text() returns
// NAME.grammar. Each text is one part of a grammar, in the language of grammar.h; grammars.cc
// combines the parts.
//
// cmake/grammar_files.cmake writes the definitions. A file that is not declared here does not
// compile; a text without a file does not link.
#pragma once

#include <string_view>

namespace tidemill::epub {

[[nodiscard]] std::string_view xhtml5_attributes_text();
[[nodiscard]] std::string_view xhtml5_aria_text();
[[nodiscard]] std::string_view xhtml5_document_text();
[[nodiscard]] std::string_view xhtml5_sections_text();
[[nodiscard]] std::string_view xhtml5_phrasing_text();
[[nodiscard]] std::string_view xhtml5_tables_text();
[[nodiscard]] std::string_view xhtml5_forms_text();
[[nodiscard]] std::string_view xhtml5_embedded_text();
[[nodiscard]] std::string_view xhtml5_epub_text();
[[nodiscard]] std::string_view nav_text();
[[nodiscard]] std::string_view xhtml11_text();

[[nodiscard]] std::string_view svg_text();
[[nodiscard]] std::string_view svg_document_text();
[[nodiscard]] std::string_view svg11_shared_text();
[[nodiscard]] std::string_view svg11_drawing_text();
[[nodiscard]] std::string_view svg11_effects_text();
[[nodiscard]] std::string_view mathml_shared_text();
[[nodiscard]] std::string_view mathml_elements_text();

[[nodiscard]] std::string_view dtbook_text();
[[nodiscard]] std::string_view ncx_text();
[[nodiscard]] std::string_view overlay_text();
[[nodiscard]] std::string_view search_key_text();
[[nodiscard]] std::string_view package2_text();
[[nodiscard]] std::string_view package3_text();

[[nodiscard]] std::string_view container_text();
[[nodiscard]] std::string_view container2_text();
[[nodiscard]] std::string_view encryption_text();
[[nodiscard]] std::string_view signatures_text();
[[nodiscard]] std::string_view renditions_metadata_text();

}  // namespace tidemill::epub
