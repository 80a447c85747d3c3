// What the first bytes of an image say against what the manifest says of it. Everything else that
// is no document (fonts, sound, films) is not looked into.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// OPF-029 (another format than declared), MED-004 and PKG-021 (damaged), PKG-022 (another format
// than the name says). Without an archive there is nothing to look at. An entry that cannot be read
// is reported as any other.
void check_resource(Document& document);

}  // namespace tidemill::epub
