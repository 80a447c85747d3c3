#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {
namespace {

// DTBook (the DAISY book, allowed in EPUB 2) is rare, so only its skeleton is looked at; what
// stands inside head and the parts of the book is not.
constexpr std::array<std::string_view, 1> kTexts = {R"(
namespace = "http://www.daisy.org/z3986/2005/dtbook/"
element dtbook {* version:(2005-2)} (head, book)
element head {*} any
element book {*} (frontmatter?, bodymatter?, rearmatter?)
element frontmatter {*} any
element bodymatter {*} any
element rearmatter {*} any
start dtbook
)"};

}  // namespace

const Grammar& dtbook_grammar() {
  static const Grammar grammar(kTexts);
  return grammar;
}

}  // namespace tidemill::book
