#include <array>
#include <initializer_list>
#include <vector>

#include "tidemill/book/grammars.h"
#include "tidemill/book/mathml_texts.h"
#include "tidemill/book/svg_texts.h"
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

namespace {

// In the navigation document a nav with a type is a list of links.
constexpr std::string_view kNavigation = R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"
element nav when epub:type {@common @nav-role} ((heading | hgroup)?, nav-ol)
element nav-ol as ol {@common @list-role start:integer reversed:(reversed|) type:(1|a|A|i|I)}
  nav-li+
element nav-li as li {@common @item-role value:integer} (a | ((a | span), nav-ol))
)";

std::vector<std::string_view> with_neighbours() {
  std::vector<std::string_view> texts;
  for (const auto part : {xhtml5_grammar_texts(), svg_grammar_texts(), mathml_grammar_texts()}) {
    texts.insert(texts.end(), part.begin(), part.end());
  }
  return texts;
}

std::vector<std::string_view> joined(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> texts = with_neighbours();
  texts.insert(texts.end(), more);
  return texts;
}

}  // namespace

std::span<const std::string_view> xhtml5_grammar_texts() {
  static const std::array texts = {
      xhtml5_attributes_text(), xhtml5_aria_text(),     xhtml5_document_text(),
      xhtml5_sections_text(),   xhtml5_phrasing_text(), xhtml5_tables_text(),
      xhtml5_forms_text(),      xhtml5_embedded_text(), xhtml5_epub_text()};
  return texts;
}

std::span<const std::string_view> xhtml5_texts() {
  static const std::vector<std::string_view> texts = with_neighbours();
  return texts;
}

const Grammar& xhtml5_grammar() {
  static const Grammar grammar(joined({"start html"}));
  return grammar;
}

const Grammar& nav_grammar() {
  static const Grammar grammar(joined({kNavigation, "start html"}));
  return grammar;
}

}  // namespace tidemill::book
