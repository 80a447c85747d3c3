// The ZIP file of a book: what EPUB asks of its first entry and of the names in it (which
// characters, which of them are the same to some file system, which lead out of the book), and what
// is damaged or hostile.
#pragma once

#include "tidemill/formats/epub/rules/finding.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::epub {

// As programs do that know a book by its first bytes: the first entry is "mimetype", without an
// extra field (PKG-003, 004, 005, 006).
void check_first_bytes(const zip::Archive& archive, Findings& findings);

// Every entry is stored or deflated, and none is encrypted. False: nobody can unpack the book
// (PKG-027).
[[nodiscard]] bool check_packing(const zip::Archive& archive, Findings& findings);

// The entry "mimetype" holds exactly what it must (PKG-007).
void check_mimetype(const zip::Archive& archive, Findings& findings);

// The oddities of the archive and of its entries. False: reading on is of no use or not safe.
[[nodiscard]] bool check_zip(const zip::Archive& archive, Findings& findings);

// What no name of a file in a book may have.
[[nodiscard]] bool is_forbidden_in_names(char32_t code);

// False: a name is not UTF-8 (PKG-027), so there is no use in going on.
[[nodiscard]] bool check_names(const zip::Archive& archive, Findings& findings);

}  // namespace tidemill::epub
