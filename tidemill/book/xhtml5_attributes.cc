// Attributes that many elements have.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_attributes_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"
namespace ssml = "http://www.w3.org/2001/10/synthesis"

any-case align allowfullscreen allowpaymentrequest allowusermedia async autocapitalize autocomplete
  autofocus autoplay checked contenteditable controls crossorigin default defer dir disabled
  draggable formnovalidate hidden http-equiv ismap itemscope kind loop multiple muted nomodule
  novalidate open playsinline preload readonly required reversed scope selected shape sizes
  spellcheck step translate type typemustmatch valign value wrap

# What every element has, those of the head too.
attributes bare =
  id:word class title xml:base:uri xml:space:(preserve|default)
  dir:(ltr|rtl|auto) lang:language-or-empty xml:lang:language-or-empty translate:(|yes|no)
  style tabindex:integer accesskey autofocus:(autofocus|) nonce inert:(inert|)
  contenteditable:(true|plaintext-only|false|) draggable:(true|false)
  hidden:(hidden|until-found|) popover:(auto|manual|hint|)
  inputmode:(none|text|tel|url|email|numeric|decimal|search) spellcheck:(true|false|)
  autocapitalize:(off|none|on|sentences|words|characters)
  enterkeyhint:(enter|done|go|next|previous|search|send)
  is slot ssml:ph ssml:alphabet:alphabet data-* foreign @events @aria @its

attributes events =
  onauxclick onbeforeinput onbeforematch onblur oncancel oncanplay oncanplaythrough onchange onclick
  onclose oncontextlost oncontextmenu oncontextrestored oncopy oncuechange oncut ondblclick ondrag
  ondragend ondragenter ondragleave ondragover ondragstart ondrop ondurationchange onemptied onended
  onerror onfocus onformdata oninput oninvalid onkeydown onkeypress onkeyup onload onloadeddata
  onloadedmetadata onloadstart onmousedown onmouseenter onmouseleave onmousemove onmouseout
  onmouseover onmouseup onpaste onpause onplay onplaying onprogress onratechange onreset onresize
  onscroll onscrollend onsecuritypolicyviolation onseeked onseeking onselect onslotchange onstalled
  onsubmit onsuspend ontimeupdate ontoggle onvolumechange onwaiting onwheel
  onpointerover onpointerenter onpointerdown onpointermove onpointerrawupdate onpointerup
  onpointercancel onpointerout onpointerleave ongotpointercapture onlostpointercapture

attributes its = its-*

attributes microdata = itemref:words itemprop:some-words itemscope:(itemscope|) itemtype:some-words
  itemid:uri
attributes item = itemref:words itemscope:(itemscope|) itemtype:some-words itemid:uri

attributes rdfa-bare = about prefix typeof vocab datatype resource inlist
attributes rdfa-no-rel = @rdfa-bare property content
attributes rdfa = @rdfa-no-rel rel rev

attributes all = @bare @microdata @rdfa
# With the semantic of EPUB, which elements of metadata do not have.
attributes common = @all epub:type:nmtokens

attributes referrer = referrerpolicy:(|no-referrer|no-referrer-when-downgrade|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin|unsafe-url)
attributes crossorigin = crossorigin:(anonymous|use-credentials|)
attributes fetch = fetchpriority:(high|low|auto)
attributes blocking = blocking:list(render)
attributes size = width:nonneg height:nonneg
)";
}

}  // namespace tidemill::book
