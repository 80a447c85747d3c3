// Checks a whole e-book (EPUB), or one document of one as if it stood in a book.
//
// The order: the archive, META-INF, the package document, every document it lists, then what only
// the whole can say (references, fallbacks, reading order). Each stage reports into the same
// Findings. A stage that cannot go on ends the check and says so in a finding; nothing here fails.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/book/inspection.h"

namespace tidemill::book {

// One thread. The descriptor stays the caller's; file_name is for its extension only.
[[nodiscard]] Inspection check_epub(int fd, std::string_view file_name,
                                    Profile profile = Profile::none, zip::Limits limits = {});

enum class DocumentKind : std::uint8_t { package, xhtml, nav, svg, overlay };

[[nodiscard]] Inspection check_document(std::string_view bytes, std::string_view file_name,
                                        DocumentKind kind, Edition edition,
                                        Profile profile = Profile::none);

}  // namespace tidemill::book
