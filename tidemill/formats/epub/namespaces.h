// XML namespaces of the documents in a book. The grammar files declare their own.
#pragma once

#include <string_view>

namespace tidemill::epub {

// META-INF
inline constexpr std::string_view kContainerNamespace =
    "urn:oasis:names:tc:opendocument:xmlns:container";
inline constexpr std::string_view kRenditionNamespace = "http://www.idpf.org/2013/rendition";
inline constexpr std::string_view kMetadataNamespace = "http://www.idpf.org/2013/metadata";

// The package document
inline constexpr std::string_view kOpfNamespace = "http://www.idpf.org/2007/opf";
inline constexpr std::string_view kOebNamespace =
    "http://openebook.org/namespaces/oeb-package/1.0/";
inline constexpr std::string_view kDublinNamespace = "http://purl.org/dc/elements/1.1/";

// Content
inline constexpr std::string_view kXhtmlNamespace = "http://www.w3.org/1999/xhtml";
inline constexpr std::string_view kSvgNamespace = "http://www.w3.org/2000/svg";
inline constexpr std::string_view kMathmlNamespace = "http://www.w3.org/1998/Math/MathML";
inline constexpr std::string_view kDtbookNamespace = "http://www.daisy.org/z3986/2005/dtbook/";
inline constexpr std::string_view kNcxNamespace = "http://www.daisy.org/z3986/2005/ncx/";

// Attributes in content documents
inline constexpr std::string_view kOpsNamespace = "http://www.idpf.org/2007/ops";
inline constexpr std::string_view kSsmlNamespace = "http://www.w3.org/2001/10/synthesis";
inline constexpr std::string_view kXmlEventsNamespace = "http://www.w3.org/2001/xml-events";
inline constexpr std::string_view kXlinkNamespace = "http://www.w3.org/1999/xlink";

}  // namespace tidemill::epub
