#include "tidemill/book/svg_texts.h"

#include <array>

namespace tidemill::book {
namespace {

// EPUB 3. Inside svg every element and every attribute is let pass, of whatever namespace; but what
// stands in title and foreignObject must be HTML, and ids must be ids. Where epub:type may stand is
// SvgRules' concern. The tags are listed so that what is inside them is looked at.
constexpr std::string_view kLenient = R"(
namespace = "http://www.w3.org/2000/svg"

attributes svg-any = * id:word
content svg-inner = (text | svg | svg-a | svg-audio | svg-canvas | svg-circle | svg-clipPath
  | svg-defs | svg-desc | svg-ellipse | svg-foreignObject | svg-g | svg-iframe | svg-image | svg-line
  | svg-linearGradient | svg-marker | svg-mask | svg-metadata | svg-path | svg-pattern | svg-polygon
  | svg-polyline | svg-radialGradient | svg-rect | svg-script | svg-style | svg-switch | svg-symbol
  | svg-text | svg-textPath | svg-title | svg-tspan | svg-unknown | svg-use | svg-video | unnamed)*
content svg-island = (text | flow)*
content svg-heading = (text | flow)* | html | body

element svg {@svg-any} svg-inner
element svg-a as a {@svg-any} svg-inner
element svg-audio as audio {@svg-any} svg-inner
element svg-canvas as canvas {@svg-any} svg-inner
element svg-circle as circle {@svg-any} svg-inner
element svg-clipPath as clipPath {@svg-any} svg-inner
element svg-defs as defs {@svg-any} svg-inner
element svg-desc as desc {@svg-any} svg-inner
element svg-ellipse as ellipse {@svg-any} svg-inner
element svg-g as g {@svg-any} svg-inner
element svg-iframe as iframe {@svg-any} svg-inner
element svg-image as image {@svg-any} svg-inner
element svg-line as line {@svg-any} svg-inner
element svg-linearGradient as linearGradient {@svg-any} svg-inner
element svg-marker as marker {@svg-any} svg-inner
element svg-mask as mask {@svg-any} svg-inner
element svg-metadata as metadata {@svg-any} svg-inner
element svg-path as path {@svg-any} svg-inner
element svg-pattern as pattern {@svg-any} svg-inner
element svg-polygon as polygon {@svg-any} svg-inner
element svg-polyline as polyline {@svg-any} svg-inner
element svg-radialGradient as radialGradient {@svg-any} svg-inner
element svg-rect as rect {@svg-any} svg-inner
element svg-script as script {@svg-any} svg-inner
element svg-style as style {@svg-any} svg-inner
element svg-switch as switch {@svg-any} svg-inner
element svg-symbol as symbol {@svg-any} svg-inner
element svg-text as text {@svg-any} svg-inner
element svg-textPath as textPath {@svg-any} svg-inner
element svg-tspan as tspan {@svg-any} svg-inner
element svg-unknown as unknown {@svg-any} svg-inner
element svg-use as use {@svg-any} svg-inner
element svg-video as video {@svg-any} svg-inner
element svg-foreignObject as foreignObject {@svg-any} svg-island
element svg-title as title {@svg-any} svg-heading
)";

constexpr std::array kLenientTexts = {kLenient};

}  // namespace

std::span<const std::string_view> svg_grammar_texts() { return kLenientTexts; }

}  // namespace tidemill::book
