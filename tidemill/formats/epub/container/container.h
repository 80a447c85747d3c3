// Checks the container of a book: the ZIP file, the names in it, and META-INF.
//
// ZIP: the requirements of EPUB (mimetype first, stored and exact; names), and hostile or damaged
// archives (overlaps, names that escape the book, links, sizes beyond the limits). META-INF: where
// the package documents are, what is encrypted, whether the book is signed; its XML is validated
// against its grammars.
//
// Some rules apply to one edition only, so the edition is read from the version of the first
// package document. PKG-025 and PKG-026 belong to the manifest and are reported there.
//
// Nothing here fails: every fault is a finding, and Container::is_readable says whether the check
// can continue.
#pragma once

#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::epub {

// Fixed paths and content that every book has.
inline constexpr std::string_view kMimetypePath = "mimetype";
inline constexpr std::string_view kMimetypeContent = "application/epub+zip";
inline constexpr std::string_view kContainerPath = "META-INF/container.xml";

// Fills Inspection::container; the inspection's archive must be open. Only the extension of
// file_name is used. Container::rootfiles lists the package documents first, in document order,
// then all other rootfiles.
void check_container(Inspection& book, std::string_view file_name);

// Reports why Archive::open() failed.
void report_unreadable(const Failure& failure, Findings& findings);

}  // namespace tidemill::epub
