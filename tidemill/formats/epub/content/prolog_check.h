// Checks the prolog of any XML document in a book, and whether the document could be parsed:
// encoding, XML version, document type, well-formedness.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// Reports the encoding (RSC-027, RSC-028, HTM-058), the version (HTM-001), stray bytes (TIDE-020),
// and the mistake that stopped the parser (RSC-016, PKG-008, or one of our limits).
void check_prolog(const Document& document, const xml::ParseOutcome& outcome,
                  std::string_view media_type);

// The document type names no DTD, or a known one. We never open a DTD, but a reading system that
// does cannot read a document with an unknown one (PKG-008). EPUB 3 documents do not need a DTD.
[[nodiscard]] bool is_known_dtd(const xml::Doctype& doctype);

// The document type must be one that the edition and the media type allow: HTM-004, HTM-009,
// OPF-073.
void check_doctype(const Document& document, const xml::Doctype& doctype,
                   std::string_view media_type, xml::Position where);

}  // namespace tidemill::epub
