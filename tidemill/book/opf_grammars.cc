// The grammars of the package document, of EPUB 2 and of EPUB 3. What needs more than one element
// to be judged (ids, refines, counts) is in opf_metadata.cc and its neighbours.
#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {

namespace {

constexpr std::string_view kPackage2 = R"(
namespace = "http://www.idpf.org/2007/opf"
namespace opf = "http://www.idpf.org/2007/opf"
namespace oeb = "http://openebook.org/namespaces/oeb-package/1.0/"
namespace dc = "http://purl.org/dc/elements/1.1/"
namespace xsi = "http://www.w3.org/2001/XMLSchema-instance"

attributes spoken = id:id xml:lang
attributes person = @spoken opf:file-as opf:role
attributes typed = id:id xsi:type

element package {version:(2.0)! unique-identifier:idref! id:id}
  (metadata, manifest, spine, tours?, guide?)

content more = dc:contributor | dc:coverage | dc:creator | dc:date | dc:description | dc:format
  | dc:publisher | dc:relation | dc:rights | dc:source | dc:subject | dc:type

element metadata {id:id}
  ((dc-metadata & x-metadata?)
   | (dc:title+ & dc:language+ & dc:identifier+ & more* & meta* & foreign*))
element dc-metadata {id:id} (dc:title+ & dc:language+ & dc:identifier+ & more*)
element x-metadata {id:id} (meta* & foreign*)
element meta {@spoken name! content! scheme} empty

element dc:identifier {@typed opf:scheme} text:nonempty
element dc:title {@spoken} text
element dc:language {@typed} text
element dc:contributor {@person} text
element dc:coverage {@spoken} text
element dc:creator {@person} text
element dc:date {@typed opf:event} text
element dc:description {@spoken} text
element dc:format {@typed} text
element dc:publisher {@spoken} text
element dc:relation {@spoken} text
element dc:rights {@spoken} text
element dc:source {@spoken} text
element dc:subject {@spoken} text
element dc:type {@typed} text

element manifest {id:id} item+
element item {id:id! href! media-type! fallback:idref fallback-style:idref required-namespace
  required-modules} empty
element spine {id:id toc:idref!} itemref+
element itemref {id:id idref:idref! linear:(yes|no)} empty

element tours {id:id} tour+
element tour {id:id title!} site+
element site {id:id title! href!} empty
element guide {id:id} reference+
element reference {id:id type! title href!} empty

start package
)";

constexpr std::string_view kPackage3 = R"(
namespace = "http://www.idpf.org/2007/opf"
namespace dc = "http://purl.org/dc/elements/1.1/"

attributes spoken = id:id xml:lang dir:(ltr|rtl|auto)

element package {version:(3.0)! unique-identifier:idref! prefix @spoken}
  (metadata, manifest, spine, guide?, bindings?, collection*)

element metadata {@spoken}
  (dc:identifier+ & dc:title+ & dc:language+ & dc:date? & dc:source* & dc:type* & dc:format*
   & dc:creator* & dc:subject* & dc:description* & dc:publisher* & dc:contributor* & dc:relation*
   & dc:coverage* & dc:rights* & meta* & link*)

# The meta of EPUB 2 may stay.
element meta {name! content!} empty
element meta when property {property:nmtoken! refines scheme:nmtoken @spoken} text:nonempty
element link {href! hreflang rel:nmtokens! id:id refines media-type:mime properties:nmtokens} empty

element dc:identifier {id:id} text:nonempty
element dc:title {@spoken} text:nonempty
element dc:language {id:id} text:nonempty
element dc:date {id:id} text:nonempty
element dc:source {@spoken} text:nonempty
element dc:type {id:id} text:nonempty
element dc:format {id:id} text:nonempty
element dc:creator {@spoken} text:nonempty
element dc:subject {@spoken} text:nonempty
element dc:description {@spoken} text:nonempty
element dc:publisher {@spoken} text:nonempty
element dc:contributor {@spoken} text:nonempty
element dc:relation {@spoken} text:nonempty
element dc:coverage {@spoken} text:nonempty
element dc:rights {@spoken} text:nonempty

element manifest {id:id} item+
element item {id:id! href! media-type:mime! fallback:idref media-overlay:idref
  properties:nmtokens} empty
element spine {id:id toc:idref page-progression-direction:(ltr|rtl|default)} itemref+
element itemref {idref:idref! linear:(yes|no) id:id properties:nmtokens} empty

element guide {} reference+
element reference {href! type! title} empty
element bindings {} mediaType+
element mediaType {media-type:mime! handler:idref!} empty

element collection {role! @spoken}
  (collection-metadata?, (collection+ | (collection*, collection-link+)))
element collection-link as link {href! rel:nmtokens id:id media-type:mime} empty
element collection-metadata as metadata {@spoken}
  (dc:identifier | dc:title | dc:language | dc:date | dc:source | dc:type | dc:format | dc:creator
   | dc:subject | dc:description | dc:publisher | dc:contributor | dc:relation | dc:coverage
   | dc:rights | collection-meta | link)*
element collection-meta as meta {property:nmtoken! refines scheme:nmtoken @spoken} text:nonempty

start package
)";

}  // namespace

const Grammar& package2_grammar() {
  static const Grammar grammar(std::to_array({kPackage2}));
  return grammar;
}

const Grammar& package3_grammar() {
  static const Grammar grammar(std::to_array({kPackage3}));
  return grammar;
}

}  // namespace tidemill::book
