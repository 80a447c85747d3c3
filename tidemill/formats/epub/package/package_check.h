// Checks the package document against the book. Before the documents are read: the manifest against
// the archive. Afterwards: the features the documents use against those the package declares, and
// the collections with their own rules (dictionaries, indexes, previews).
//
// Never fails; every fault is a finding.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Needs the archive: items that are not in it (RSC-001), files that no item names (OPF-003),
// obfuscated items that are not fonts (PKG-026).
void check_manifest(Inspection& book);

// After all documents were read: OPF-071, OPF-075, OPF-076, OPF-078, OPF-079, OPF-081 to OPF-084.
// For a package document without a book only the rules that do not need content.
void check_dictionaries(Inspection& book);

// After all documents were read: the properties of items (OPF-014, 015, 018), documents out of the
// reading order (OPF-096), the guide (OPF-031, 032), unused items (OPF-097), and the source of the
// page numbers of an EDUPUB book (OPF-066).
void check_package_end(Inspection& book);

}  // namespace tidemill::epub
