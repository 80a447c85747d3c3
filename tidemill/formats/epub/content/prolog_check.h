// What a document says before its first tag, and whether it could be read at all: encoding, XML
// version, document type, well-formedness. The same for every kind of XML in a book.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// Reports the encoding (RSC-027, RSC-028, HTM-058), the version (HTM-001) and the mistake that
// ended the reading (RSC-016, or a limit of ours).
void check_prolog(const Document& document, const xml::Outcome& outcome,
                  std::string_view media_type);

// The DTD that a document type names, if it names one, is a known one. A DTD is never opened, but
// who opens them cannot read the document without it (PKG-008). Of an EPUB 3 document nobody wants
// the DTD.
[[nodiscard]] bool is_known_dtd(const xml::Doctype& doctype);

// A document type must be the one that its edition and media type know: HTM-004, HTM-009, OPF-073.
void check_doctype(const Document& document, const xml::Doctype& doctype,
                   std::string_view media_type, xml::Position where);

}  // namespace tidemill::epub
