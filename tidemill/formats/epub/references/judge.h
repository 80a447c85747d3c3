// Checks the references of a book after all its documents were read: targets that are missing, not
// declared, of the wrong kind, remote, or without a fallback; the order of the table of contents.
#pragma once

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

void judge_references(Inspection& book);

// In reading_order.cc: NAV-010 (a navigation link that leaves the book), NAV-011, MED-015.
void judge_reading_order(Inspection& book);

}  // namespace tidemill::epub
