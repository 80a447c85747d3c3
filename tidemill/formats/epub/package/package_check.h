// The package document held against the book: its manifest against the archive, before the
// documents are read; and after they were read, what they use against what the package says, and
// collections that mean something to a checker (dictionaries, indexes, previews).
//
// How it fails: it does not; everything is a finding.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Needs the archive: items that are not in it (RSC-001), files that no item names (OPF-003),
// obfuscated items that are no fonts (PKG-026).
void check_manifest(Inspection& book);

// When everything was read: OPF-071, OPF-075, OPF-076, OPF-078, OPF-079, OPF-081 to OPF-084. Of a
// package document alone only what needs no content.
void check_dictionaries(Inspection& book);

// After all documents were read: the properties of items (OPF-014, 015, 018), documents out of the
// reading order (OPF-096), the guide (OPF-031, 032), unused items (OPF-097), and what an EDUPUB
// book wants of its page numbers (OPF-066).
void check_package_end(Inspection& book);

}  // namespace tidemill::epub
