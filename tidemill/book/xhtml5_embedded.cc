// Images, media, plug-ins, frames and image maps.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_embedded_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"

element img {@common @size @image-role src:nonempty-uri! srcset sizes alt usemap:hash-name
  ismap:(ismap|) decoding:(sync|async|auto) loading:(lazy|eager) border:(0)
  generator-unable-to-provide-required-alt:() @fetch @referrer @crossorigin} empty
element source {@common src:nonempty-uri! type:mime} empty
element picture {@common} ((picture-source | script-supporting)*, img, script-supporting*)
element picture-source as source {@common @size srcset! media sizes type:mime} empty

# Any attribute may be a parameter of the plug-in.
element embed {@common @size @frame-role src:nonempty-uri type:mime *} empty

attributes object = @common @size usemap:hash-name name:frame-name form:word
  role:(application|document|img)
element object {@object type:mime!} (param*, (text | phrasing)*)
element object when data {@object data:nonempty-uri type:mime} (param*, (text | phrasing)*)
element object-flow as object {@object type:mime!} (param*, (text | flow)*)
element object-flow when data {@object data:nonempty-uri type:mime} (param*, (text | flow)*)
element param {@common name! value!} empty

element iframe {@common @size @frame-role src:nonempty-uri srcdoc name:frame-name
  loading:(lazy|eager) sandbox allowfullscreen:(allowfullscreen|) allow @referrer} empty

element map {@common name:word!} (text | phrasing)*
element map-flow as map {@common name:word!} (text | flow)*
attributes area = @bare @microdata @rdfa-no-rel rev epub:type:nmtokens @hyperlink role:(link|button)
  shape:(rect|circle|poly|default) coords:coords
element area {@area} empty
element area when href {@area alt!} empty
element area when alt {@area alt href:uri!} empty

attributes media = @common autoplay:(autoplay|) preload:(none|metadata|auto|) controls:(controls|)
  loop:(loop|) muted:(muted|) @crossorigin role:(application)
attributes video = @media @size poster:nonempty-uri playsinline:(playsinline|)
element video {@video} (source*, track*, (text | phrasing)*)
element video when src {@video src:nonempty-uri} (track*, (text | phrasing)*)
element video-flow as video {@video} (source*, track*, (text | flow)*)
element video-flow when src {@video src:nonempty-uri} (track*, (text | flow)*)
element audio {@media} (source*, track*, (text | phrasing)*)
element audio when src {@media src:nonempty-uri} (track*, (text | phrasing)*)
element audio-flow as audio {@media} (source*, track*, (text | flow)*)
element audio-flow when src {@media src:nonempty-uri} (track*, (text | flow)*)
element track {@common src:nonempty-uri! srclang:language-or-empty label default:(default|)
  kind:(subtitles|captions|descriptions|chapters|metadata)} empty

element canvas {@common @size @any-role} (text | phrasing)*
element canvas-flow as canvas {@common @size @any-role} (text | flow)*
)";
}

}  // namespace tidemill::book
