// Folders and files for this user only, whatever the umask says.
#pragma once

#include <string>

#include "tidemill/base/result.h"

namespace tidemill::files {

// The folder and those above it that are not there, with mode 0700, as the XDG standard asks. Step
// "create"; a folder that is there is good enough, whatever mkdir() says of its disk.
[[nodiscard]] Result<void> make_private_folders(const std::string& path);

// An empty file of mode 0600, if there is none. For what a library creates with a mode of its own:
// SQLite makes databases for all to read, and gives their side files the mode of the database. What
// goes wrong here, the library meets again and says.
void make_private_file(const std::string& path);

}  // namespace tidemill::files
