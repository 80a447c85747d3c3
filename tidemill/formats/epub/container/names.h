// The names of the entries of a book: what EPUB allows in them, which of them are the same to some
// file system, which folders are empty, which lead out of the book.
#pragma once

#include "tidemill/formats/epub/rules/finding.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::epub {

// What no name of a file in a book may have.
[[nodiscard]] bool is_forbidden_in_names(char32_t code);

// False: a name is not UTF-8 (PKG-027), so there is no use in going on.
[[nodiscard]] bool check_names(const zip::Archive& archive, Findings& findings);

}  // namespace tidemill::epub
