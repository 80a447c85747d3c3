// Checks the ZIP file of a book: the first entry, the names (forbidden characters, names that clash
// on some file systems, names that escape the book), and damaged or hostile archives.
#pragma once

#include "tidemill/formats/epub/rules/finding.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::epub {

// Programs recognise a book by its first bytes, so the first entry must be "mimetype" without an
// extra field (PKG-003, 004, 005, 006).
void check_first_bytes(const zip::Archive& archive, Findings& findings);

// Every entry is stored or deflated, and none is encrypted. False: the book cannot be unpacked
// (PKG-027).
[[nodiscard]] bool check_packing(const zip::Archive& archive, Findings& findings);

// The entry "mimetype" contains exactly kMimetypeContent (PKG-007).
void check_mimetype(const zip::Archive& archive, Findings& findings);

// Reports anomalies of the archive and its entries. False: it is pointless or unsafe to continue.
[[nodiscard]] bool check_zip(const zip::Archive& archive, Findings& findings);

// A character that file names in a book must not contain.
[[nodiscard]] bool is_forbidden_in_names(char32_t code);

// False: a name is not UTF-8 (PKG-027), and the check cannot continue.
[[nodiscard]] bool check_names(const zip::Archive& archive, Findings& findings);

}  // namespace tidemill::epub
