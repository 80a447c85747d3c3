#include "tidemill/book/mathml_texts.h"

#include <array>

namespace tidemill::book {
namespace {

constexpr std::string_view kShared = R"(
namespace = "http://www.w3.org/1998/Math/MathML"
namespace epub = "http://www.idpf.org/2007/ops"
namespace ssml = "http://www.w3.org/2001/10/synthesis"
namespace xlink = "http://www.w3.org/1999/xlink"

attributes math-core = id:word xref class:nmtokens style href:uri other data-* aria-* epub:type:nmtokens
  ssml:ph xml:base:uri xlink:* foreign
attributes math-looks = @math-core mathcolor:math-color mathbackground:math-color|(transparent)
attributes math-old-letters = fontfamily fontweight:(normal|bold) fontstyle:(normal|italic)
  fontsize:math-length
  color:math-color background:math-color|(transparent)
attributes math-variant = mathsize:math-length|(small|normal|big)
  mathvariant:(normal|bold|italic|bold-italic|double-struck|bold-fraktur|script|bold-script|fraktur|sans-serif|bold-sans-serif|sans-serif-italic|sans-serif-bold-italic|monospace|initial|tailed|looped|stretched)
attributes math-letters = @math-looks @math-variant @math-old-letters dir:(ltr|rtl)
attributes math-indent = indentalign:(left|center|right|auto|id) indentshift:math-length
  indenttarget
  indentalignfirst:(left|center|right|auto|id|indentalign)
  indentshiftfirst:math-length|(indentshift)
  indentalignlast:(left|center|right|auto|id|indentalign) indentshiftlast:math-length|(indentshift)
attributes math-break = linebreak:(auto|newline|nobreak|goodbreak|badbreak) lineleading:math-length
  linebreakstyle:(before|after|duplicate|infixlinebreakstyle) linebreakmultchar
attributes math-operator = form:(prefix|infix|postfix) fence:(true|false) separator:(true|false)
  lspace:math-length rspace:math-length stretchy:(true|false) symmetric:(true|false)
  maxsize:math-length|(infinity) minsize:math-length largeop:(true|false)
  movablelimits:(true|false) accent:(true|false) @math-break @math-indent
attributes math-row-lines = rowalign:list(top|bottom|center|baseline|axis)
  columnalign:list(left|center|right) groupalign
attributes math-grid = @math-row-lines alignmentscope:list(true|false) columnwidth rowspacing
  columnspacing rowlines:list(none|solid|dashed) columnlines:list(none|solid|dashed)
  frame:(none|solid|dashed) framespacing equalrows:(true|false) equalcolumns:(true|false)
  side:(left|right|leftoverlap|rightoverlap) minlabelspacing:math-length
attributes math-scripts = subscriptshift:math-length superscriptshift:math-length
attributes math-carry = location:(w|nw|n|ne|e|se|s|sw)
  crossout:list(none|updiagonalstrike|downdiagonalstrike|verticalstrike|horizontalstrike)
attributes math-division = longdivstyle
attributes math-level = scriptlevel:integer displaystyle:(true|false) scriptsizemultiplier
  scriptminsize:math-length infixlinebreakstyle:(before|after|duplicate) decimalpoint
# What mstyle, and so math, may say for everything inside.
attributes math-everything = @math-level @math-operator @math-grid @math-scripts @math-carry
  @math-variant accentunder:(true|false) align:(left|right|center) bevelled:(true|false)
  charalign:(left|center|right) charspacing:math-length|(loose|medium|tight) close open
  columnspan:positive rowspan:positive
  denomalign:(left|center|right) numalign:(left|center|right) depth:math-length height:math-length
  width:math-length
  dir:(ltr|rtl) edge:(left|right) leftoverhang:math-length rightoverhang:math-length length
  linethickness:math-length|(thin|medium|thick) @math-division
  lquote rquote mslinethickness:math-length|(thin|medium|thick) notation position:integer
  selection:positive separators
  shift:integer stackalign:(left|center|right|decimalpoint) valign:math-length
attributes math-semantics = encoding definitionURL:uri cd:ncname

content math-token = mi | mn | mo | mtext | mspace | ms
content math-one = math-semantics | math-token | maligngroup | malignmark | mrow | mfrac | msqrt
  | mroot | mstyle | merror | mpadded | mphantom | mfenced | menclose | msub | msup | msubsup
  | munder | mover | munderover | mmultiscripts | mtable | mstack | mlongdiv | maction
content math-stacked = math-one | mscarries | msline | msrow | msgroup
content math-inner = (text | mglyph | malignmark)*
)";

constexpr std::string_view kElements = R"(
namespace = "http://www.w3.org/1998/Math/MathML"

element math {@math-looks @math-everything display:(block|inline) maxwidth:math-length
  overflow:(linebreak|scroll|elide|truncate|scale) altimg:uri altimg-width:math-length
  altimg-height:math-length
  altimg-valign:math-length|(top|middle|bottom) alttext cdgroup:uri mode macros} math-one*
element math-semantics as semantics {@math-core @math-semantics name:ncname}
  (math-one, (math-annotation | annotation-xml)*)
element math-annotation as annotation {@math-core @math-semantics name:ncname src:uri} text

# By its encoding an annotation holds HTML, one svg, or MathML again.
attributes math-xml = @math-core cd:ncname name:ncname src:uri
element annotation-xml {@math-xml} (text | flow)*
element annotation-xml when encoding=(application/xhtml+xml|text/html) {@math-xml
  encoding:(application/xhtml+xml|text/html)} (text | flow)*
element annotation-xml when encoding=SVG1.1 {@math-xml encoding:(SVG1.1)} svg
element annotation-xml when
  encoding=(MathML|MathML-Presentation|application/mathml-presentation+xml)
  {@math-xml encoding:(MathML|MathML-Presentation|application/mathml-presentation+xml)} math-one*
element annotation-xml when encoding=(MathML-Content|application/mathml-content+xml) {@math-xml
  name:(contentequiv)! encoding:(MathML-Content|application/mathml-content+xml)}
  (math-semantics | other)*

element mi {@math-letters} math-inner
element mn {@math-letters} math-inner
element mo {@math-letters @math-operator} math-inner
element mtext {@math-letters} (text | mglyph | malignmark | phrasing)*
element ms {@math-letters lquote rquote} math-inner
element mspace {@math-letters @math-indent width:math-length height:math-length depth:math-length
  linebreak:(auto|newline|nobreak|goodbreak|badbreak|indentingnewline)} empty
element mglyph {@math-looks @math-variant @math-old-letters src:uri width:math-length
  height:math-length valign:math-length alt
  index:integer} empty
element malignmark {@math-looks edge:(left|right)} empty
element maligngroup {@math-looks groupalign:(left|center|right|decimalpoint)} empty

element mrow {@math-looks dir:(ltr|rtl)} math-one*
element mfrac {@math-looks linethickness:math-length|(thin|medium|thick)
  numalign:(left|center|right) denomalign:(left|center|right)
  bevelled:(true|false)} (math-one, math-one)
element msqrt {@math-looks} math-one*
element mroot {@math-looks} (math-one, math-one)
element mstyle {@math-looks @math-everything @math-old-letters veryverythinmathspace:math-length
  verythinmathspace:math-length thinmathspace:math-length mediummathspace:math-length
  thickmathspace:math-length verythickmathspace:math-length
  veryverythickmathspace:math-length} math-one*
element merror {@math-looks} math-one*
element mpadded {@math-looks height:math-padding depth:math-padding width:math-padding
  lspace:math-padding voffset:math-padding} math-one*
element mphantom {@math-looks} math-one*
element mfenced {@math-looks open close separators} math-one*
element menclose {@math-looks notation} math-one*
element msub {@math-looks subscriptshift:math-length} (math-one, math-one)
element msup {@math-looks superscriptshift:math-length} (math-one, math-one)
element msubsup {@math-looks @math-scripts} (math-one, math-one, math-one)
element munder {@math-looks accentunder:(true|false) align:(left|right|center)} (math-one, math-one)
element mover {@math-looks accent:(true|false) align:(left|right|center)} (math-one, math-one)
element munderover {@math-looks accent:(true|false) accentunder:(true|false)
  align:(left|right|center)} (math-one, math-one, math-one)
content math-pairs = ((math-one | none), (math-one | none))*
element mmultiscripts {@math-looks @math-scripts}
  (math-one, math-pairs, (mprescripts, math-pairs)?)
element none {@math-looks} empty
element mprescripts {@math-looks} empty

element mtable {@math-looks @math-grid align width:math-length|(auto) displaystyle:(true|false)}
  (mtr | mlabeledtr)*
element mtr {@math-looks @math-row-lines} mtd*
element mlabeledtr {@math-looks @math-row-lines} mtd+
element mtd {@math-looks @math-row-lines rowspan:positive columnspan:positive} math-one*

element mstack {@math-looks align stackalign:(left|center|right|decimalpoint)
  charalign:(left|center|right) charspacing:math-length|(loose|medium|tight)} math-stacked*
element mlongdiv {@math-looks @math-division position:integer shift:integer}
  (math-stacked, math-stacked, math-stacked+)
element msgroup {@math-looks position:integer shift:integer} math-stacked*
element msrow {@math-looks position:integer} (math-one | none)*
element mscarries {@math-looks @math-carry position:integer scriptsizemultiplier}
  (math-one | none | mscarry)*
element mscarry {@math-looks @math-carry} (math-one | none)*
element msline {@math-looks position:integer length leftoverhang:math-length
  rightoverhang:math-length mslinethickness:math-length|(thin|medium|thick)}
  empty
element maction {@math-looks actiontype! selection:positive} math-one+
)";

constexpr std::array kTexts = {kShared, kElements};

}  // namespace

std::span<const std::string_view> mathml_grammar_texts() { return kTexts; }

}  // namespace tidemill::book
