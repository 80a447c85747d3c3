#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {
namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.daisy.org/z3986/2005/ncx/"
attributes i18n = xml:lang:language dir:(ltr|rtl)
content label = text-label, img?

element ncx {version:(2005-1)! @i18n} (head, docTitle, docAuthor*, navMap, pageList?, navList*)
element head {} meta+
element meta {name! content! scheme} empty
element docTitle  {id:id @i18n} label
element docAuthor {id:id @i18n} label
element text-label as text {id:id class} text
element img       {id:id class src!} empty
element navInfo   {@i18n} label
element navLabel  {@i18n} label
element content   {id:id src!} empty
element navMap    {id:id} (navInfo*, navLabel*, navPoint+)
element navPoint  {id:id! class playOrder} (navLabel+, content, navPoint*)
element pageList  {id:id class} (navLabel?, navInfo?, pageTarget+)
element pageTarget {id:id value type:(front|normal|special)! class playOrder} (navLabel+, content)
element navList   {id:id class} (navInfo*, navLabel+, navTarget+)
element navTarget {id:id! class value playOrder} (navLabel+, content)
start ncx
)";

}  // namespace

const Grammar& ncx_grammar() {
  static constexpr std::array kTexts = {kText};
  static const Grammar grammar(kTexts);
  return grammar;
}

}  // namespace tidemill::book
