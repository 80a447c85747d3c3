// What EPUB adds to HTML: content that depends on the reading system, and triggers.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_epub_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"
namespace ev = "http://www.w3.org/2001/xml-events"

element switch as epub:switch {id:word} (case+, default)
element switch-flow as epub:switch {id:word} (case+, default-flow)
element case as epub:case {id:word required-namespace:uri!} (text | flow | foreign)*
element default as epub:default {id:word} (text | phrasing)*
element default-flow as epub:default {id:word} (text | flow)*

element trigger as epub:trigger {id:word action:(show|hide|play|pause|resume|mute|unmute)!
  ref:ncname! ev:event:nmtoken! ev:observer:ncname! ev:defaultAction:(cancel|perform)
  ev:phase:(capture|default) ev:propagate:(stop|continue)} empty
content metadata |= trigger
)";
}

}  // namespace tidemill::book
