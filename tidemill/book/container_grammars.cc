#include "tidemill/book/container_grammars.h"

#include <array>
#include <string_view>

#include "tidemill/book/grammars.h"

namespace tidemill::book {
namespace {

constexpr std::string_view kContainer = R"(
namespace = "urn:oasis:names:tc:opendocument:xmlns:container"
namespace rendition = "http://www.idpf.org/2013/rendition"
element container {version:(1.0)!} (rootfiles, links?)
element rootfiles {} rootfile+
element rootfile {
  full-path:uri! media-type:(application/oebps-package+xml)!
  rendition:media rendition:layout:(reflowable|pre-paginated) rendition:language:language
  rendition:accessMode rendition:label
} empty
element links {} link+
element link {href:uri! rel! media-type:mime} empty
start container
)";

constexpr std::string_view kContainer2 = R"(
namespace = "urn:oasis:names:tc:opendocument:xmlns:container"
element container {version!} rootfiles
element rootfiles {} rootfile+
element rootfile {full-path! media-type!} empty
start container
)";

// What is inside KeyInfo, Transforms and the like is a matter of XML Signature, not of books.
constexpr std::string_view kEncryption = R"(
namespace = "urn:oasis:names:tc:opendocument:xmlns:container"
namespace enc = "http://www.w3.org/2001/04/xmlenc#"
namespace ds = "http://www.w3.org/2000/09/xmldsig#"
namespace comp = "http://www.idpf.org/2016/encryption#compression"
attributes encrypted = Id:ncname Type:uri MimeType Encoding:uri foreign
content what = enc:EncryptionMethod?, ds:KeyInfo?, enc:CipherData, enc:EncryptionProperties?

element encryption {foreign} (enc:EncryptedData | enc:EncryptedKey)+
element enc:EncryptedData {@encrypted} (what)
element enc:EncryptedKey {@encrypted Recipient}
  (enc:EncryptionMethod?, ds:KeyInfo?, enc:CipherData, enc:EncryptionProperties?,
   enc:ReferenceList?, enc:CarriedKeyName?)
element enc:EncryptionMethod {Algorithm:uri! foreign} any
element ds:KeyInfo {*} any
element enc:CipherData {foreign} (enc:CipherValue | enc:CipherReference)
element enc:CipherValue {foreign} text
element enc:CipherReference {URI:uri! foreign} enc:Transforms?
element enc:Transforms {*} any
element enc:EncryptionProperties {Id:ncname foreign} enc:EncryptionProperty+
element enc:EncryptionProperty {Target:uri Id:ncname xml:* foreign} (text | comp:Compression | foreign)*
element comp:Compression {Method:(0|8)! OriginalLength:nonneg!} empty
element enc:ReferenceList {foreign} (enc:DataReference | enc:KeyReference)+
element enc:DataReference {URI:uri! foreign} any
element enc:KeyReference {URI:uri! foreign} any
element enc:CarriedKeyName {foreign} text
start encryption
)";

constexpr std::string_view kSignatures = R"(
namespace = "urn:oasis:names:tc:opendocument:xmlns:container"
namespace ds = "http://www.w3.org/2000/09/xmldsig#"
element signatures {foreign} ds:Signature+
element ds:Signature {Id:ncname foreign}
  (ds:SignedInfo, ds:SignatureValue, ds:KeyInfo?, ds:Object*)
element ds:SignedInfo {*} any
element ds:SignatureValue {*} any
element ds:KeyInfo {*} any
element ds:Object {*} any
start signatures
)";

constexpr std::string_view kRenditionsMetadata = R"(
namespace = "http://www.idpf.org/2013/metadata"
namespace dc = "http://purl.org/dc/elements/1.1/"
content dublin = dc:title | dc:language | dc:date | dc:source | dc:type | dc:format | dc:creator
  | dc:subject | dc:description | dc:publisher | dc:contributor | dc:relation | dc:coverage
  | dc:rights
element metadata {unique-identifier:ncname! prefix id:id xml:lang dir:(ltr|rtl|auto) version}
  (dc:identifier+ & (dublin | meta | link)*)
element meta {property! refines id:id scheme xml:lang dir:(ltr|rtl|auto)} text
element link {href:uri! rel! id:id refines media-type:mime} empty
element dc:identifier {id:id} text
element dc:title {*} text
element dc:language {*} text
element dc:date {*} text
element dc:source {*} text
element dc:type {*} text
element dc:format {*} text
element dc:creator {*} text
element dc:subject {*} text
element dc:description {*} text
element dc:publisher {*} text
element dc:contributor {*} text
element dc:relation {*} text
element dc:coverage {*} text
element dc:rights {*} text
start metadata
)";

}  // namespace

const Grammar& container_grammar() {
  static constexpr std::array kTexts = {kContainer};
  static const Grammar grammar(kTexts);
  return grammar;
}

const Grammar& container2_grammar() {
  static constexpr std::array kTexts = {kContainer2};
  static const Grammar grammar(kTexts);
  return grammar;
}

const Grammar& encryption_grammar() {
  static constexpr std::array kTexts = {kEncryption};
  static const Grammar grammar(kTexts);
  return grammar;
}

const Grammar& signatures_grammar() {
  static constexpr std::array kTexts = {kSignatures};
  static const Grammar grammar(kTexts);
  return grammar;
}

const Grammar& renditions_metadata_grammar() {
  static constexpr std::array kTexts = {kRenditionsMetadata};
  static const Grammar grammar(kTexts);
  return grammar;
}

}  // namespace tidemill::book
