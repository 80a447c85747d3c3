// Where tests find the tables, the rank files and the recorded counts. Only tests include this:
// the constants are defined in a file that cmake/tokens.cmake writes for them, so that no other
// file depends on where the build folder is.
#pragma once

namespace tidemill::tokens {

extern const char* const kTablesFolder;
extern const char* const kRanksFolder;
extern const char* const kVectorsFile;

}  // namespace tidemill::tokens
