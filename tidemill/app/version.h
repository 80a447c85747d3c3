// What --version says below its first line: where this build comes from, and the libraries in it.
//
// One line each, a name and a version, so that a report of a bug can be compared with another by
// eye. Libraries are asked as they are loaded now; of those that cannot be asked the line says
// which headers the program was built with. Nothing here can fail; what is not known is "unknown".
#pragma once

#include <string>

namespace tidemill::app {

extern const char* const kCommit;  // defined in a file that cmake/commit.cmake writes

[[nodiscard]] std::string about_this_build();

}  // namespace tidemill::app
