#include <array>
#include <span>
#include <string_view>

#include "tidemill/book/svg_texts.h"

namespace tidemill::book {
namespace {

// What many elements share. Elements and attributes of a foreign namespace may stand everywhere:
// drawing programs leave their notes in them.
constexpr std::string_view kShared = R"(
namespace = "http://www.w3.org/2000/svg"
namespace xlink = "http://www.w3.org/1999/xlink"
namespace html = "http://www.w3.org/1999/xhtml"
namespace ops = "http://www.idpf.org/2007/ops"

attributes svg-core = id:id xml:base:anyuri xml:lang:language xml:space:(default|preserve) html:*
  foreign
attributes svg-style = class:nmtokens style
attributes svg-if = requiredFeatures requiredExtensions systemLanguage
attributes svg-outside = externalResourcesRequired:(false|true)
attributes svg-events = onactivate onclick onfocusin onfocusout onload onmousedown onmousemove
  onmouseout onmouseover onmouseup
attributes svg-box = x y width height

attributes svg-colour = color color-interpolation:(auto|sRGB|linearRGB|inherit)
  color-rendering:(auto|optimizeSpeed|optimizeQuality|inherit)
attributes svg-looks = @svg-colour clip-path clip-rule:(nonzero|evenodd|inherit) cursor
  display:(inline|block|list-item|run-in|compact|marker|table|inline-table|table-row-group|table-header-group|table-footer-group|table-row|table-column-group|table-column|table-cell|table-caption|none|inherit)
  filter mask opacity fill-opacity stroke-opacity visibility:(visible|hidden|inherit)
  image-rendering:(auto|optimizeSpeed|optimizeQuality|inherit)
  shape-rendering:(auto|optimizeSpeed|crispEdges|geometricPrecision|inherit)
  text-rendering:(auto|optimizeSpeed|optimizeLegibility|geometricPrecision|inherit)
  pointer-events:(visiblePainted|visibleFill|visibleStroke|visible|painted|fill|stroke|all|none|inherit)
attributes svg-paint = fill fill-rule:(nonzero|evenodd|inherit) stroke stroke-dasharray
  stroke-dashoffset stroke-linecap:(butt|round|square|inherit)
  stroke-linejoin:(miter|round|bevel|inherit) stroke-miterlimit stroke-width
attributes svg-typeface = font-family font-size font-size-adjust
  font-stretch:(normal|wider|narrower|ultra-condensed|extra-condensed|condensed|semi-condensed|semi-expanded|expanded|extra-expanded|ultra-expanded|inherit)
  font-style:(normal|italic|oblique|inherit) font-variant:(normal|small-caps|inherit)
  font-weight:(normal|bold|bolder|lighter|100|200|300|400|500|600|700|800|900|inherit)
attributes svg-letters = @svg-typeface
  alignment-baseline:(auto|baseline|before-edge|text-before-edge|middle|central|after-edge|text-after-edge|ideographic|alphabetic|hanging|mathematical|inherit)
  baseline-shift direction:(ltr|rtl|inherit)
  dominant-baseline:(auto|use-script|no-change|reset-size|ideographic|alphabetic|hanging|mathematical|central|middle|text-after-edge|text-before-edge|inherit)
  glyph-orientation-horizontal glyph-orientation-vertical kerning letter-spacing
  text-anchor:(start|middle|end|inherit) text-decoration
  unicode-bidi:(normal|embed|bidi-override|inherit) word-spacing
attributes svg-writing = writing-mode:(lr-tb|rl-tb|tb-rl|lr|rl|tb|inherit)
attributes svg-stop-colour = stop-color stop-opacity
attributes svg-markers = marker-start marker-mid marker-end
attributes svg-overflow = clip overflow:(visible|hidden|scroll|auto|inherit)
attributes svg-filter-colour = color-interpolation-filters:(auto|sRGB|linearRGB|inherit)
attributes svg-all-looks = @svg-looks @svg-paint @svg-letters @svg-writing @svg-stop-colour
  @svg-markers @svg-overflow @svg-filter-colour color-profile enable-background flood-color
  flood-opacity lighting-color

attributes svg-link = xlink:type:(simple) xlink:href:anyuri xlink:role:anyuri xlink:arcrole:anyuri
  xlink:title xlink:show:(other) xlink:actuate:(onLoad)
attributes svg-link-needed = @svg-link xlink:href:anyuri!
attributes svg-link-embed = @svg-link-needed xlink:show:(embed)
attributes svg-link-replace = @svg-link-needed xlink:show:(new|replace) xlink:actuate:(onRequest)

attributes svg-fit =
  preserveAspectRatio:list(none|xMinYMin|xMidYMin|xMaxYMin|xMinYMid|xMidYMid|xMaxYMid|xMinYMax|xMidYMax|xMaxYMax|meet|slice)
attributes svg-window = @svg-fit viewBox

# Most elements that draw.
attributes svg-drawn = @svg-core @svg-if @svg-style @svg-outside @svg-events
attributes svg-shape = @svg-drawn @svg-looks @svg-paint transform
attributes svg-written = @svg-drawn @svg-looks @svg-paint @svg-letters

content svg-note = foreign | svg-ops-switch
content svg-about = svg-desc | svg-title | svg-metadata
content svg-moving = svg-animate | svg-set | svg-animateMotion | svg-animateColor
  | svg-animateTransform
content svg-figure = svg-path | svg-rect | svg-circle | svg-line | svg-ellipse | svg-polyline
  | svg-polygon
content svg-part = svg-about | svg-moving | svg-figure | svg | svg-g | svg-defs | svg-use
  | svg-foreignObject | svg-symbol | svg-switch | svg-image | svg-style | svg-text
  | svg-altGlyphDef | svg-marker | svg-color-profile | svg-linearGradient | svg-radialGradient
  | svg-pattern | svg-clipPath | svg-mask | svg-filter | svg-cursor | svg-a | svg-view | svg-script
  | svg-font | svg-font-face | svg-note
content svg-captioned = (svg-about | svg-note)*
content svg-animated = (svg-about | svg-note)*, (svg-moving | svg-note)*
content svg-ticking = (svg-animate | svg-set | svg-note)*
content svg-island = svg
)";

constexpr std::string_view kDrawing = R"(
namespace = "http://www.w3.org/2000/svg"
namespace xlink = "http://www.w3.org/1999/xlink"
namespace ops = "http://www.idpf.org/2007/ops"

element svg-ops-switch as ops:switch {*} any
element svg {@svg-drawn @svg-all-looks @svg-box @svg-window version:(1.1) baseProfile
  contentScriptType contentStyleType zoomAndPan:(disable|magnify) onabort onerror onresize onscroll
  onunload onzoom} svg-part*
element svg-g as g {@svg-drawn @svg-all-looks transform} svg-part*
element svg-defs as defs {@svg-drawn @svg-all-looks transform} svg-part*
element svg-symbol as symbol {@svg-core @svg-style @svg-outside @svg-events @svg-all-looks
  @svg-window} svg-part*
element svg-a as a {@svg-drawn @svg-all-looks @svg-link-replace target:nmtoken transform}
  (text | svg-part)*
element svg-desc as desc {@svg-core @svg-style} (text | svg-note)*
element svg-title as title {@svg-core @svg-style} (text | svg-note)*
element svg-metadata as metadata {@svg-core} (text | svg-note)*
element svg-use as use {@svg-drawn @svg-all-looks @svg-box @svg-link-embed transform} svg-animated
element svg-switch as switch {@svg-drawn @svg-all-looks transform}
  ((svg-about | svg-note)*, (svg | svg-g | svg-use | svg-text | svg-moving | svg-switch | svg-image
  | svg-figure | svg-a | svg-foreignObject | svg-note)*)
element svg-image as image {@svg-drawn @svg-looks @svg-overflow @svg-box @svg-fit @svg-link-embed
  color-profile width! height! transform} svg-animated
element svg-style as style {@svg-core xml:space:(preserve) type media title} (text | svg-note)*
element svg-script as script {@svg-core @svg-outside @svg-link type!} (text | svg-note)*
element svg-view as view {@svg-core @svg-outside @svg-window viewTarget
  zoomAndPan:(disable|magnify)}
  svg-captioned
element svg-cursor as cursor {@svg-core @svg-if @svg-outside @svg-link-needed x y} svg-captioned
element svg-foreignObject as foreignObject {@svg-drawn @svg-all-looks @svg-box width! height!
  transform} (svg-island | foreign)*

element svg-path as path {@svg-shape @svg-markers d! pathLength} svg-animated
element svg-rect as rect {@svg-shape @svg-box width! height! rx ry} svg-animated
element svg-circle as circle {@svg-shape cx cy r!} svg-animated
element svg-ellipse as ellipse {@svg-shape cx cy rx! ry!} svg-animated
element svg-line as line {@svg-shape @svg-markers x1 y1 x2 y2} svg-animated
element svg-polyline as polyline {@svg-shape @svg-markers points!} svg-animated
element svg-polygon as polygon {@svg-shape @svg-markers points!} svg-animated

attributes svg-glyphs = x y dx dy rotate
attributes svg-text-length = textLength lengthAdjust:(spacing|spacingAndGlyphs)
content svg-words = (text | svg-tspan | svg-tref | svg-altGlyph | svg-animate | svg-set
  | svg-animateColor | svg-about | svg-a | svg-note)*
element svg-text as text {@svg-written @svg-writing @svg-glyphs @svg-text-length transform}
  (text | svg-about | svg-moving | svg-a | svg-altGlyph | svg-tspan | svg-tref | svg-textPath
  | svg-note)*
element svg-tspan as tspan {@svg-written @svg-glyphs @svg-text-length} svg-words
element svg-tref as tref {@svg-written @svg-glyphs @svg-text-length @svg-link-needed}
  (svg-animate | svg-set | svg-animateColor | svg-about | svg-note)*
element svg-textPath as textPath {@svg-written @svg-text-length @svg-link-needed startOffset
  method:(align|stretch) spacing:(auto|exact)} svg-words
element svg-altGlyph as altGlyph {@svg-written @svg-glyphs @svg-link glyphRef format}
  (text | svg-note)*
element svg-altGlyphDef as altGlyphDef {@svg-core}
  ((svg-glyphRef | svg-note)+ | (svg-altGlyphItem | svg-note)+)
element svg-altGlyphItem as altGlyphItem {@svg-core} (svg-glyphRef | svg-note)+
element svg-glyphRef as glyphRef {@svg-core @svg-style @svg-typeface @svg-link glyphRef format x y
  dx
  dy} svg-note*

element svg-marker as marker {@svg-core @svg-style @svg-outside @svg-all-looks @svg-window refX refY
  markerUnits:(strokeWidth|userSpaceOnUse) markerWidth markerHeight orient} svg-part*
element svg-pattern as pattern {@svg-core @svg-if @svg-style @svg-outside @svg-all-looks @svg-box
  @svg-window @svg-link patternUnits:(userSpaceOnUse|objectBoundingBox)
  patternContentUnits:(userSpaceOnUse|objectBoundingBox) patternTransform} svg-part*
element svg-mask as mask {@svg-core @svg-if @svg-style @svg-outside @svg-all-looks @svg-box
  maskUnits:(userSpaceOnUse|objectBoundingBox) maskContentUnits:(userSpaceOnUse|objectBoundingBox)}
  svg-part*
element svg-clipPath as clipPath {@svg-core @svg-if @svg-style @svg-outside @svg-looks @svg-paint
  @svg-letters @svg-writing clipPathUnits:(userSpaceOnUse|objectBoundingBox) transform}
  ((svg-about | svg-note)*, (svg-figure | svg-moving | svg-use | svg-text | svg-altGlyphDef
  | svg-note)*)
attributes svg-gradient = @svg-core @svg-style @svg-outside @svg-colour @svg-stop-colour @svg-link
  gradientUnits:(userSpaceOnUse|objectBoundingBox) gradientTransform
  spreadMethod:(pad|reflect|repeat)
content svg-stops = (svg-about | svg-note)*, (svg-stop | svg-animate | svg-set
  | svg-animateTransform | svg-note)*
element svg-linearGradient as linearGradient {@svg-gradient x1 y1 x2 y2} svg-stops
element svg-radialGradient as radialGradient {@svg-gradient cx cy r fx fy} svg-stops
element svg-stop as stop {@svg-core @svg-style @svg-colour @svg-stop-colour offset!}
  (svg-animate | svg-set | svg-animateColor | svg-note)*
element svg-color-profile as color-profile {@svg-core @svg-link local name!
  rendering-intent:(auto|perceptual|relative-colorimetric|saturation|absolute-colorimetric)}
  svg-captioned
)";

constexpr std::string_view kEffects = R"(
namespace = "http://www.w3.org/2000/svg"
namespace xlink = "http://www.w3.org/1999/xlink"

attributes svg-timing = @svg-core @svg-if @svg-outside @svg-link begin dur end min max
  restart:(always|never|whenNotActive) repeatCount repeatDur fill:(remove|freeze) onbegin onend
  onrepeat onload
attributes svg-values = calcMode:(discrete|linear|paced|spline) values keyTimes keySplines from to
  by
  additive:(replace|sum) accumulate:(none|sum)
attributes svg-goal = attributeName! attributeType
element svg-animate as animate {@svg-timing @svg-goal @svg-values} svg-captioned
element svg-set as set {@svg-timing @svg-goal to} svg-captioned
element svg-animateMotion as animateMotion {@svg-timing @svg-values path keyPoints rotate origin}
  ((svg-about | svg-note)*, svg-mpath?, svg-note*)
element svg-animateColor as animateColor {@svg-timing @svg-goal @svg-values} svg-captioned
element svg-animateTransform as animateTransform {@svg-timing @svg-goal @svg-values
  type:(translate|scale|rotate|skewX|skewY)} svg-captioned
element svg-mpath as mpath {@svg-core @svg-outside @svg-link-needed} svg-captioned

element svg-filter as filter {@svg-core @svg-style @svg-outside @svg-all-looks @svg-box @svg-link
  filterUnits:(userSpaceOnUse|objectBoundingBox) primitiveUnits:(userSpaceOnUse|objectBoundingBox)
  filterRes} ((svg-about | svg-note)*, (svg-animate | svg-set | svg-effect | svg-note)*)
content svg-effect = svg-feBlend | svg-feColorMatrix | svg-feComponentTransfer | svg-feComposite
  | svg-feFlood | svg-feGaussianBlur | svg-feImage | svg-feMerge | svg-feOffset | svg-feTile
  | svg-feConvolveMatrix | svg-feDiffuseLighting | svg-feDisplacementMap | svg-feMorphology
  | svg-feSpecularLighting | svg-feTurbulence
attributes svg-effect = @svg-core @svg-filter-colour @svg-box result
element svg-feBlend as feBlend {@svg-effect in in2! mode:(normal|multiply|screen|darken|lighten)}
  svg-ticking
element svg-feColorMatrix as feColorMatrix {@svg-effect in
  type:(matrix|saturate|hueRotate|luminanceToAlpha) values} svg-ticking
element svg-feComponentTransfer as feComponentTransfer {@svg-effect in}
  (svg-note*, svg-feFuncR?, svg-note*, svg-feFuncG?, svg-note*, svg-feFuncB?, svg-note*,
  svg-feFuncA?,
  svg-note*)
element svg-feComposite as feComposite {@svg-effect in in2!
  operator:(over|in|out|atop|xor|arithmetic) k1 k2 k3 k4} svg-ticking
element svg-feFlood as feFlood {@svg-effect @svg-style @svg-colour flood-color flood-opacity in}
  (svg-animate | svg-set | svg-animateColor | svg-note)*
element svg-feGaussianBlur as feGaussianBlur {@svg-effect in stdDeviation} svg-ticking
element svg-feImage as feImage {@svg-effect @svg-style @svg-outside @svg-all-looks @svg-fit
  @svg-link-embed} (svg-animate | svg-set | svg-animateTransform | svg-note)*
element svg-feMerge as feMerge {@svg-effect} (svg-feMergeNode | svg-note)*
element svg-feMergeNode as feMergeNode {@svg-core in} svg-ticking
element svg-feOffset as feOffset {@svg-effect in dx dy} svg-ticking
element svg-feTile as feTile {@svg-effect in} svg-ticking
attributes svg-channel = @svg-core type:(identity|table|discrete|linear|gamma)! tableValues slope
  intercept amplitude exponent offset
element svg-feFuncR as feFuncR {@svg-channel} svg-ticking
element svg-feFuncG as feFuncG {@svg-channel} svg-ticking
element svg-feFuncB as feFuncB {@svg-channel} svg-ticking
element svg-feFuncA as feFuncA {@svg-channel} svg-ticking
element svg-feConvolveMatrix as feConvolveMatrix {@svg-effect in order! kernelMatrix! divisor bias
  targetX targetY edgeMode:(duplicate|wrap|none) kernelUnitLength preserveAlpha:(false|true)}
  svg-ticking
content svg-lit = svg-note*, (svg-feDistantLight | svg-fePointLight | svg-feSpotLight),
  (svg-animate | svg-set | svg-animateColor | svg-note)*
attributes svg-lighting = @svg-effect @svg-style @svg-colour lighting-color in surfaceScale
  kernelUnitLength
element svg-feDiffuseLighting as feDiffuseLighting {@svg-lighting diffuseConstant} svg-lit
element svg-feSpecularLighting as feSpecularLighting {@svg-lighting specularConstant
  specularExponent} svg-lit
element svg-feDistantLight as feDistantLight {@svg-core azimuth elevation} svg-ticking
element svg-fePointLight as fePointLight {@svg-core x y z} svg-ticking
element svg-feSpotLight as feSpotLight {@svg-core x y z pointsAtX pointsAtY pointsAtZ
  specularExponent limitingConeAngle} svg-ticking
element svg-feDisplacementMap as feDisplacementMap {@svg-effect in in2! scale
  xChannelSelector:(R|G|B|A) yChannelSelector:(R|G|B|A)} svg-ticking
element svg-feMorphology as feMorphology {@svg-effect in operator:(erode|dilate) radius} svg-ticking
element svg-feTurbulence as feTurbulence {@svg-effect baseFrequency numOctaves seed
  stitchTiles:(stitch|noStitch) type:(fractalNoise|turbulence)} svg-ticking

attributes svg-glyph = @svg-core @svg-style @svg-all-looks d horiz-adv-x vert-origin-x vert-origin-y
  vert-adv-y
element svg-font as font {@svg-core @svg-style @svg-outside @svg-all-looks horiz-origin-x
  horiz-origin-y horiz-adv-x! vert-origin-x vert-origin-y vert-adv-y}
  ((svg-about | svg-note)*, svg-font-face, svg-note*, svg-missing-glyph,
  (svg-glyph | svg-hkern | svg-vkern | svg-note)*)
element svg-glyph as glyph {@svg-glyph unicode glyph-name orientation arabic-form lang} svg-part*
element svg-missing-glyph as missing-glyph {@svg-glyph} svg-part*
attributes svg-kerning = @svg-core u1 g1 u2 g2 k!
element svg-hkern as hkern {@svg-kerning} svg-note*
element svg-vkern as vkern {@svg-kerning} svg-note*
element svg-font-face as font-face {@svg-core font-family font-style font-variant font-weight
  font-stretch font-size unicode-range units-per-em panose-1 stemv stemh slope cap-height x-height
  accent-height ascent descent widths bbox ideographic alphabetic mathematical hanging v-ideographic
  v-alphabetic v-mathematical v-hanging underline-position underline-thickness
  strikethrough-position strikethrough-thickness overline-position overline-thickness}
  ((svg-about | svg-note)*, svg-font-face-src?, svg-note*, svg-definition-src?, svg-note*)
element svg-font-face-src as font-face-src {@svg-core}
  (svg-note*, (svg-font-face-uri | svg-font-face-name), (svg-font-face-uri | svg-font-face-name
  | svg-note)*)
element svg-font-face-uri as font-face-uri {@svg-core @svg-link-needed}
  (svg-font-face-format | svg-note)*
element svg-font-face-format as font-face-format {@svg-core string} svg-note*
element svg-font-face-name as font-face-name {@svg-core name} svg-note*
element svg-definition-src as definition-src {@svg-core @svg-link-needed} svg-note*
)";

constexpr std::array kTexts = {kShared, kDrawing, kEffects};

}  // namespace

std::span<const std::string_view> svg11_grammar_texts() { return kTexts; }

}  // namespace tidemill::book
