// The order in which the table of contents and the media overlays go through the book: that of the
// spine, and in a document that of its elements.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// NAV-010 (a navigation link that leaves the book), NAV-011, MED-015.
void judge_reading_order(Inspection& book);

}  // namespace tidemill::epub
