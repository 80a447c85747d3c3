// The container level of a book: the ZIP file around it, the names in it, and META-INF.
//
// Of the ZIP: what EPUB asks of it (mimetype first, stored and exact; names) and what is hostile or
// damaged (overlaps, names that lead out, links, sizes beyond the limits). Of META-INF: where the
// package documents are, what is encrypted, whether it is signed; its XML against its grammars.
//
// Which edition the book has is read from the first package document's version, because some rules
// are of one edition only. PKG-025 and PKG-026 belong to the manifest and are reported there.
//
// Nothing here fails: what is wrong is a finding, and Container::is_readable says whether there is
// any use in going on.
#pragma once

#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::epub {

// What every book has in the same place.
inline constexpr std::string_view kMimetypePath = "mimetype";
inline constexpr std::string_view kMimetypeContent = "application/epub+zip";
inline constexpr std::string_view kContainerPath = "META-INF/container.xml";

// Fills Inspection::container, whose archive must be open. file_name is for its extension only. In
// Container::rootfiles the package documents come first, in their order; then what else is named
// there.
void check_container(Inspection& book, std::string_view file_name);

// Archive::open() failed.
void report_unreadable(const Failure& failure, Findings& findings);

}  // namespace tidemill::epub
