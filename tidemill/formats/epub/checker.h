// Checks an e-book (EPUB) from the archive to the reading order.
//
// The order: the archive, META-INF, the package document, every document it lists, then the checks
// that need the complete book (references, fallbacks, reading order). All stages report into the
// same Findings. A stage that cannot continue ends the check with a finding; nothing here fails.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The caller keeps ownership of the descriptor; only the extension of file_name is
// used.
[[nodiscard]] Inspection check_epub(int fd, std::string_view file_name,
                                    Profile profile = Profile::none,
                                    zip::ArchiveLimits limits = {});

}  // namespace tidemill::epub
