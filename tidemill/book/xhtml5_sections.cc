// Sections, blocks and lists; and what flow and phrasing content are.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.w3.org/1999/xhtml"

# Phrasing elements that mean the same in every place.
content plain = em | strong | small | mark | abbr | dfn | i | b | s | u | code | var | samp | kbd
  | sup | sub | q | cite | span | bdo | bdi | br | wbr | time | data | meter | progress | ruby
  | img | picture | embed | iframe | area | link | meta | script | template
  | input | textarea | select | button | label | output | datalist | svg | math | custom

content phrasing = plain | a | ins | del | object | map | video | audio | canvas | slot
  | switch

content flow = plain | a-flow | ins-flow | del-flow | object-flow | map-flow | video-flow
  | audio-flow | canvas-flow | slot-flow | switch-flow | trigger
  | p | hr | pre | ul | ol | dl | div | heading | hgroup | address | blockquote
  | section | nav | article | aside | header | footer | main | search
  | figure | table | form | fieldset | dialog | menu | details

content heading = h1 | h2 | h3 | h4 | h5 | h6

element section {@common @section-role} (text | flow)*
element nav {@common @nav-role} (text | flow)*
element article {@common
  role:(article|document|application|main|feed|region|presentation|none)} (text | flow)*
element aside {@common
  role:(note|complementary|search|feed|region|presentation|none|doc-dedication|doc-example|doc-footnote|doc-glossary|doc-pullquote|doc-tip)} (text | flow)*
element header {@common role:(banner|group|presentation|none|doc-footnote)} (text | flow)*
element footer {@common role:(contentinfo|group|presentation|none|doc-footnote)} (text | flow)*
element main {@common role:(main)} (text | flow)*
element search {@all role:(search|form|group|none|presentation|region)} (text | flow)*
element address {@common @any-role} (text | flow)*
element blockquote {@common @any-role cite:uri} (text | flow)*
element div {@common @any-role} (text | flow)*

element h1 {@common @heading-role} (text | phrasing)*
element h2 {@common @heading-role} (text | phrasing)*
element h3 {@common @heading-role} (text | phrasing)*
element h4 {@common @heading-role} (text | phrasing)*
element h5 {@common @heading-role} (text | phrasing)*
element h6 {@common @heading-role} (text | phrasing)*
element hgroup {@common @any-role} (heading & (p | script-supporting)*)

element p {@common @any-role} (text | phrasing)*
element hr {@common role:(separator|presentation|none|doc-pagebreak)} empty
element pre {@common @any-role} (text | phrasing)*

element ul {@common @list-role} (li | script-supporting)*
element li {@common @item-role} (text | flow)*
element ol {@common @list-role start:integer reversed:(reversed|) type:(1|a|A|i|I)}
  (ol-li | script-supporting)*
element ol-li as li {@common @item-role value:integer} (text | flow)*
element menu {@common @list-role} (menu-li | script-supporting)*
element menu-li as li {@common
  role:(listitem|menuitem|menuitemcheckbox|menuitemradio|option|tab|treeitem|presentation|none)} (text | flow)*

content dl-groups = ((dt & script-supporting*)+, (dd & script-supporting*)+)
element dl {@common role:(list|group|presentation|none)}
  (dl-groups* | (dl-div & script-supporting*)+ | script-supporting*)
element dl-div as div {@common @any-role} dl-groups
element dt {@common role:(term|listitem)} (text | flow)*
element dd {@common role:(definition)} (text | flow)*

element figure {@common @any-role}
  ((figcaption?, (text | flow)*) | ((text | flow)*, figcaption?))
element figcaption {@common role:(presentation|none|group)} (text | flow)*

element dialog {@common open:(open|) role:(alertdialog)} (text | flow)*
element details {@common open:(open|) role:(group)} (summary, (text | flow)*)
element summary {@common role:(button)} (text | phrasing | heading | hgroup)*
)";

}  // namespace

std::string_view xhtml5_sections_text() { return kText; }

}  // namespace tidemill::book
