// The location of the files that are installed with the program.
#pragma once

#include <string>

namespace tidemill::cli {

// The installed files: share/tidemill in the folder of the program, or in its parent folder.
[[nodiscard]] std::string share_folder();

// The folder of the tokenizer tables: TIDEMILL_TOKENS, or `tokens` in share_folder().
[[nodiscard]] std::string token_tables();

}  // namespace tidemill::cli
