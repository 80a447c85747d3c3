// The texts of which the grammar of EPUB 3 content documents is made (language: grammar.h).
//
// Types are named by their tags. Where a tag means something else among flow content than among
// phrasing content (what may stand in an <a>), the flow one ends in -flow. `flow` and `phrasing`
// are contents of elements only: write (text | flow)*.
#pragma once

#include <span>
#include <string_view>

namespace tidemill::book {

[[nodiscard]] std::string_view xhtml5_attributes_text();
[[nodiscard]] std::string_view xhtml5_aria_text();
[[nodiscard]] std::string_view xhtml5_document_text();
[[nodiscard]] std::string_view xhtml5_sections_text();
[[nodiscard]] std::string_view xhtml5_phrasing_text();
[[nodiscard]] std::string_view xhtml5_tables_text();
[[nodiscard]] std::string_view xhtml5_forms_text();
[[nodiscard]] std::string_view xhtml5_embedded_text();
[[nodiscard]] std::string_view xhtml5_epub_text();

// All of them, without a start. They need the types `svg` and `math` as neighbours.
[[nodiscard]] std::span<const std::string_view> xhtml5_grammar_texts();
// With SVG and MathML.
[[nodiscard]] std::span<const std::string_view> xhtml5_texts();

}  // namespace tidemill::book
