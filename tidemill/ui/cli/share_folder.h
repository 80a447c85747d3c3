// Where the files are that were installed with the program.
#pragma once

#include <string>

namespace tidemill::cli {

// The program's own files: share/tidemill beside the program, or beside its folder.
[[nodiscard]] std::string share_folder();

// Where the tables of tokenizers are: TIDEMILL_TOKENS, or among the program's own files.
[[nodiscard]] std::string token_tables();

}  // namespace tidemill::cli
