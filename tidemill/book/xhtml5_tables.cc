// Tables.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_tables_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"

element table {@common @any-role border:(|1)}
  (caption?, script-supporting*, colgroup*, script-supporting*, thead?, script-supporting*,
   (tbody* | tr+), script-supporting*, tfoot?)
element caption {@common} (text | flow)*
element colgroup {@common} (col | script-supporting)*
element colgroup when span {@common span:positive} empty
element col {@all span:positive} empty
element thead {@common @any-role} (tr | script-supporting)*
element tbody {@common @any-role} (tr | script-supporting)*
element tfoot {@common @any-role} (tr | script-supporting)*
element tr {@common @any-role} (td | th | script-supporting)*

attributes cell = colspan:positive rowspan:nonneg headers:words
element td {@common @any-role @cell} (text | flow)*
element th {@common @any-role @cell scope:(row|col|rowgroup|colgroup) abbr} (text | flow)*
)";
}

}  // namespace tidemill::book
