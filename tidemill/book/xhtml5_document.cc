// The document itself: html, head, body, metadata and scripts.
#include "tidemill/book/xhtml5_texts.h"

namespace tidemill::book {

std::string_view xhtml5_document_text() {
  return R"(
namespace = "http://www.w3.org/1999/xhtml"
namespace epub = "http://www.idpf.org/2007/ops"

element html {@common epub:prefix:prefixes} (head, body)
element head {@all} (title? & base? & metadata*)
element body {@common role:(application|document|presentation|none)
  onafterprint onbeforeprint onbeforeunload onhashchange onlanguagechange onmessage onmessageerror
  onoffline ononline onpagehide onpageshow onpopstate onrejectionhandled onstorage
  onunhandledrejection onunload} (text | flow)*

content metadata = link | style | meta | script | template

element title {@all} text

element base {@bare @microdata @rdfa-no-rel rev target:frame-target!} empty
element base when href {@bare @microdata @rdfa-no-rel rev href:uri target:frame-target} empty

attributes link = href:nonempty-uri hreflang:language-or-empty media type:mime integrity
  as:(|audio|audioworklet|document|embed|fetch|font|image|manifest|object|paintworklet|report|script|serviceworker|sharedworker|style|track|video|worker|xslt)
  sizes:sizes|(any) color:color disabled:(disabled|) scope:uri updateviacache:(imports|all|none)
  workertype:(classic|module) imagesrcset imagesizes
  @referrer @crossorigin @fetch @blocking role:(link|presentation|none|menuitem)
element link {@bare @item @link rel!} empty
element link when property {@bare @link @rdfa} empty
element link when rel {@bare @item @link @rdfa} empty
element link when itemprop {@bare @microdata @link} empty

element style {@all type media @blocking} any

element meta {@bare name! content!} empty
element meta when charset {@bare charset:utf-8!} empty
element meta when http-equiv {@bare content!
  http-equiv:~(content-type|refresh|default-style|content-security-policy|x-ua-compatible)!} empty
element meta when itemprop {@bare @microdata content!} empty
element meta when name {@bare @item @rdfa-bare property name:nonempty! content! media} empty
element meta when property {@bare @rdfa-bare property content! role:(presentation|none|menuitem)} empty

element script {@all src:nonempty-uri defer:(defer|) async:(async|) type nomodule:(nomodule|)
  charset language integrity @crossorigin @blocking @fetch @referrer} any

# Its content is a fragment of some other place.
element template {@all shadowrootmode:(open|closed) shadowrootdelegatesfocus shadowrootclonable
  shadowrootserializable shadowrootcustomelementregistry} any

content script-supporting = script | template
)";
}

}  // namespace tidemill::book
