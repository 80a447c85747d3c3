// Text-level elements: links, emphasis, ruby, data, edits.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

namespace {

constexpr std::string_view kText = R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"

attributes hyperlink = download href:uri target:frame-target rel hreflang:language-or-empty type:mime
  ping @referrer
attributes place = @bare epub:type:nmtokens @any-role name:word
attributes anchor = @bare @microdata @rdfa-no-rel epub:type:nmtokens @hyperlink @link-role name:word

element a {@place} (text | phrasing)*
element a when href {@anchor} (text | phrasing)*
element a-flow as a {@place} (text | flow)*
element a-flow when href {@anchor} (text | flow)*

element em {@common @any-role} (text | phrasing)*
element strong {@common @any-role} (text | phrasing)*
element small {@common @any-role} (text | phrasing)*
element mark {@common @any-role} (text | phrasing)*
element abbr {@common @any-role} (text | phrasing)*
element dfn {@common @any-role} (text | phrasing)*
element i {@common @any-role} (text | phrasing)*
element b {@common @any-role} (text | phrasing)*
element s {@common @any-role} (text | phrasing)*
element u {@common @any-role} (text | phrasing)*
element code {@common @any-role} (text | phrasing)*
element var {@common @any-role} (text | phrasing)*
element samp {@common @any-role} (text | phrasing)*
element kbd {@common @any-role} (text | phrasing)*
element sup {@common @any-role} (text | phrasing)*
element sub {@common @any-role} (text | phrasing)*
element q {@common @any-role cite:uri} (text | phrasing)*
element cite {@common @any-role} (text | phrasing)*
element span {@common @any-role} (text | phrasing)*
element bdo {@common @any-role} (text | phrasing)*
element bdi {@common @any-role} (text | phrasing)*
element br {@common role:(presentation|none)} empty
element wbr {@common role:(presentation|none)} empty

element time {@common @any-role} text
element time when datetime {@common @any-role datetime:html-moment} (text | phrasing)*
element data {@common @any-role value!} (text | phrasing)*
element meter {@common value:number! min:number low:number high:number max:number optimum:number}
  (text | phrasing)*
element progress {@common value:nonneg-number max:positive-number role:(progressbar)}
  (text | phrasing)*

element ins {@common @any-role cite:uri datetime:html-datetime|html-date} (text | phrasing)*
element ins-flow as ins {@common @any-role cite:uri datetime:html-datetime|html-date}
  (text | flow)*
element del {@common @any-role cite:uri datetime:html-datetime|html-date} (text | phrasing)*
element del-flow as del {@common @any-role cite:uri datetime:html-datetime|html-date}
  (text | flow)*

content ruby-text = rt | rtc
element ruby {@common @any-role}
  ((text | phrasing | rb)*, (ruby-text+ | (rp, (ruby-text, rp)+)))+
element rt {@common @any-role} (text | phrasing)*
element rtc {@all @any-role} (text | phrasing | rt | rp)*
element rb {@all @any-role} (text | phrasing)*
element rp {@common @any-role} text

element slot {@all @any-role name} (text | phrasing)*
element slot-flow as slot {@all @any-role name} (text | flow)*
)";

}  // namespace

std::string_view xhtml5_phrasing_text() { return kText; }

}  // namespace tidemill::book
