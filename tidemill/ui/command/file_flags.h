// The flags by which a person says which files below the roots are meant. Every verb that walks has
// them, with the same words.
#pragma once

#include <string>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// glob, exclude, no-hidden.
[[nodiscard]] std::vector<Flag> file_flags(const std::string& group);

// allow-empty: of the verbs that fail when they find no file.
[[nodiscard]] Flag allow_empty_flag(const std::string& group);

}  // namespace tidemill::command
