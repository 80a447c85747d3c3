// The ZIP file of a book: what EPUB asks of its first entry, and what is damaged or hostile.
#pragma once

#include "tidemill/book/finding.h"
#include "tidemill/zip/archive.h"

namespace tidemill::book {

// The first entry is "mimetype", without an extra field (PKG-003, 004, 005, 006), and it holds
// exactly what it must (PKG-007).
void check_mimetype(const zip::Archive& archive, Findings& findings);

// The oddities of the archive and of its entries. False: reading on is of no use or not safe.
[[nodiscard]] bool check_zip(const zip::Archive& archive, Findings& findings);

}  // namespace tidemill::book
