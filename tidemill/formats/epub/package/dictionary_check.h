// Collections of the package document that mean something to a checker (dictionaries, indexes,
// previews), and dictionaries as a whole.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// When everything was read: OPF-071, OPF-075, OPF-076, OPF-078, OPF-079, OPF-081 to OPF-084. Of a
// package document alone only what needs no content.
void check_dictionaries(Inspection& book);

}  // namespace tidemill::epub
