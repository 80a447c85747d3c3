#include "tidemill/formats/epub/grammar/grammars.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/grammar/grammar_files.h"

namespace tidemill::epub {
namespace {

using Texts = std::vector<std::string_view>;

// HTML with embedded SVG and MathML. The three refer to each other.
Texts xhtml5_with(std::initializer_list<std::string_view> more) {
  Texts texts = {xhtml5_attributes_text(), xhtml5_aria_text(),
                 xhtml5_document_text(),   xhtml5_sections_text(),
                 xhtml5_phrasing_text(),   xhtml5_tables_text(),
                 xhtml5_forms_text(),      xhtml5_embedded_text(),
                 xhtml5_epub_text(),       svg_text(),
                 mathml_shared_text(),     mathml_elements_text()};
  texts.insert(texts.end(), more);
  return texts;
}

Texts svg11_with(std::string_view last) {
  return {svg11_shared_text(), svg11_drawing_text(), svg11_effects_text(), last};
}

}  // namespace

const Grammar& xhtml5_grammar() {
  static const Grammar grammar(xhtml5_with({"start html"}));
  return grammar;
}

const Grammar& nav_grammar() {
  static const Grammar grammar(xhtml5_with({nav_text(), "start html"}));
  return grammar;
}

const Grammar& xhtml11_grammar() {
  static const Grammar grammar(svg11_with(xhtml11_text()));
  return grammar;
}

const Grammar& svg_grammar() {
  static const Grammar grammar(xhtml5_with({svg_document_text()}));
  return grammar;
}

const Grammar& svg11_grammar() {
  static const Grammar grammar(svg11_with("start svg"));
  return grammar;
}

const Grammar& dtbook_grammar() {
  static const Grammar grammar(Texts{dtbook_text()});
  return grammar;
}

const Grammar& ncx_grammar() {
  static const Grammar grammar(Texts{ncx_text()});
  return grammar;
}

const Grammar& overlay_grammar() {
  static const Grammar grammar(Texts{overlay_text()});
  return grammar;
}

const Grammar& search_key_grammar() {
  static const Grammar grammar(Texts{search_key_text()});
  return grammar;
}

const Grammar& package2_grammar() {
  static const Grammar grammar(Texts{package2_text()});
  return grammar;
}

const Grammar& package3_grammar() {
  static const Grammar grammar(Texts{package3_text()});
  return grammar;
}

const Grammar& container_grammar() {
  static const Grammar grammar(Texts{container_text()});
  return grammar;
}

const Grammar& container2_grammar() {
  static const Grammar grammar(Texts{container2_text()});
  return grammar;
}

const Grammar& encryption_grammar() {
  static const Grammar grammar(Texts{encryption_text()});
  return grammar;
}

const Grammar& signatures_grammar() {
  static const Grammar grammar(Texts{signatures_text()});
  return grammar;
}

const Grammar& renditions_metadata_grammar() {
  static const Grammar grammar(Texts{renditions_metadata_text()});
  return grammar;
}

}  // namespace tidemill::epub
