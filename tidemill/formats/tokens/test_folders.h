// The locations of the tables, the rank files and the recorded counts, for tests. Only tests
// include this: the constants are defined in a file that cmake/tokens.cmake generates, so that no
// other file depends on the build folder.
#pragma once

namespace tidemill::tokens {

extern const char* const kTablesFolder;
extern const char* const kRanksFolder;
extern const char* const kVectorsFile;

}  // namespace tidemill::tokens
