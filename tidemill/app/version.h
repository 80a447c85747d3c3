// What --version prints below its first line: the origin of this build and its libraries.
//
// One line each, a name and a version, so that people can compare bug reports. Shows the version of
// the library loaded at run time, or that of the headers if the library does not report one.
// Nothing here can fail; missing values are "unknown".
#pragma once

#include <string>

namespace tidemill::app {

extern const char* const kCommit;  // defined in a file that cmake/commit.cmake writes

[[nodiscard]] std::string about_this_build();

}  // namespace tidemill::app
