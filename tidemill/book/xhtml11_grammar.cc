#include <string_view>
#include <vector>

#include "tidemill/book/grammars.h"
#include "tidemill/book/svg_texts.h"

namespace tidemill::book {
namespace {

// XHTML 1.1 as OPS 2.0.1 has it: no forms, no ruby, no events, no name on a; `lang` beside xml:lang
// and iframe are there although XHTML 1.1 itself has neither. An `ops:switch` may stand where a
// block or an inline element may; its cases are not looked at.
constexpr std::string_view kDocument = R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace ops = "http://www.idpf.org/2007/ops"

attributes core = id:id class title style
attributes tongue = xml:lang:language lang:language
attributes i18n = @tongue dir:(ltr|rtl)
attributes common = @core @i18n

content inline = abbr | acronym | br | cite | code | dfn | em | kbd | q | samp | span | strong | var
  | a | img | object | bdo | b | big | i | small | sub | sup | tt | del | ins | applet | noscript
  | script | map | iframe | svg | ops-switch
content block = address | blockquote | div | p | pre | h1 | h2 | h3 | h4 | h5 | h6 | ul | ol | dl
  | hr | del | ins | noscript | script | table | svg | ops-switch
content flow = inline | address | blockquote | div | p | pre | h1 | h2 | h3 | h4 | h5 | h6 | ul | ol
  | dl | hr | table
content words = (text | inline)*
content flowing = (text | flow)*

element html {@i18n version} (head, body)
element head {@i18n profile:anyuri} (title & base? & (link | meta | style | script)*)
element body {@common} block+
element title {@i18n} text
element base {href:anyuri! target} empty
element link {@common charset href:anyuri hreflang:language type rel:nmtokens rev:nmtokens media}
  empty
element meta {@i18n http-equiv:nmtoken name:nmtoken content scheme} empty
element style {@i18n title type! media xml:space:(preserve)} text
element script {charset type! src:anyuri defer:(defer) xml:space:(preserve)} text
element noscript {@common} block+

element address {@common} words
element blockquote {@common cite:anyuri} block+
element div {@common} flowing
element p {@common} words
element pre {@common xml:space:(preserve)} words
element h1 {@common} words
element h2 {@common} words
element h3 {@common} words
element h4 {@common} words
element h5 {@common} words
element h6 {@common} words
element hr {@common} empty
element ul {@common} li+
element ol {@common} li+
element li {@common} flowing
element dl {@common} (dt | dd)+
element dt {@common} words
element dd {@common} flowing

element abbr {@common} words
element acronym {@common} words
element cite {@common} words
element code {@common} words
element dfn {@common} words
element em {@common} words
element kbd {@common} words
element q {@common cite:anyuri} words
element samp {@common} words
element span {@common} words
element strong {@common} words
element var {@common} words
element b {@common} words
element big {@common} words
element i {@common} words
element small {@common} words
element sub {@common} words
element sup {@common} words
element tt {@common} words
element br {@core} empty
element bdo {@core @tongue dir:(ltr|rtl)!} words
element del {@common cite:anyuri datetime} flowing
element ins {@common cite:anyuri datetime} flowing

attributes area-shape = shape:(rect|circle|poly|default) coords
element a {@common @area-shape href:anyuri charset type hreflang:language rel:nmtokens rev:nmtokens
  accesskey tabindex target} words
element img {@common src:anyuri! alt! longdesc:anyuri height width usemap ismap:(ismap)} empty
element map {id:id! class title @i18n} (block | area)+
element area {@common @area-shape href:anyuri nohref:(nohref) alt! tabindex accesskey target} empty
element object {@common declare:(declare) classid:anyuri codebase:anyuri data:anyuri type codetype
  archive
  standby height width name tabindex usemap} (param*, flowing)
element applet {@core alt! archive code codebase:anyuri object height! width!} (param*, flowing)
element param {id:id name! value valuetype:(data|ref|object) type} empty
element iframe {@core longdesc:anyuri src:anyuri frameborder:(1|0) width height marginwidth
  marginheight
  scrolling:(yes|no|auto)} flowing

attributes cell-align = align:(left|center|right|justify|char) char charoff
  valign:(top|middle|bottom|baseline)
attributes cell = @common @cell-align abbr axis headers:idrefs scope:(row|col|rowgroup|colgroup)
  rowspan colspan
element table {@common summary width border cellspacing cellpadding
  frame:(void|above|below|hsides|lhs|rhs|vsides|box|border) rules:(none|groups|rows|cols|all)}
  (caption?, (col* | colgroup*), ((thead?, tfoot?, tbody+) | tr+))
element caption {@common} words
element col {@common @cell-align span width} empty
element colgroup {@common @cell-align span width} col*
element thead {@common @cell-align} tr+
element tfoot {@common @cell-align} tr+
element tbody {@common @cell-align} tr+
element tr {@common @cell-align} (th | td)+
element th {@cell} flowing
element td {@cell} flowing

element ops-switch as ops:switch {id:id} (ops-case+, ops-default)
element ops-case as ops:case {id:id required-namespace! required-modules} any
element ops-default as ops:default {id:id} flowing

content svg-island |= body | text | flow
start html
)";

std::vector<std::string_view> all_texts() {
  const auto svg = svg11_grammar_texts();
  std::vector<std::string_view> texts(svg.begin(), svg.end());
  texts.push_back(kDocument);
  return texts;
}

}  // namespace

const Grammar& xhtml11_grammar() {
  static const Grammar grammar(all_texts());
  return grammar;
}

}  // namespace tidemill::book
