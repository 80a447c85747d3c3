// Checks a whole e-book (EPUB).
//
// The order: the archive, META-INF, the package document, every document it lists, then what only
// the whole can say (references, fallbacks, reading order). Each stage reports into the same
// Findings. A stage that cannot go on ends the check and says so in a finding; nothing here fails.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The descriptor stays the caller's; file_name is for its extension only.
[[nodiscard]] Inspection check_epub(int fd, std::string_view file_name,
                                    Profile profile = Profile::none, zip::Limits limits = {});

}  // namespace tidemill::epub
