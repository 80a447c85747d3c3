// Folders and files that only this user can access, whatever the umask.
#pragma once

#include <string>

#include "tidemill/base/result.h"

namespace tidemill::files {

// Creates the folder and missing ones above it with mode 0700, as the XDG standard requires.
// Failures have the step "create". An existing folder is accepted, whatever error mkdir() reports
// for it.
[[nodiscard]] Result<void> make_private_folders(const std::string& path);

// Creates an empty file with mode 0600 if it does not exist. For libraries that choose the mode
// themselves: SQLite makes databases world-readable and gives their side files the same mode.
// Errors are ignored, because the library will report them.
void make_private_file(const std::string& path);

}  // namespace tidemill::files
