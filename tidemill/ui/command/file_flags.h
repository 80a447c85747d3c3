// The flags that select files below the roots. Every verb that walks folders has them, with the
// same help texts.
#pragma once

#include <string>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// glob, exclude, no-hidden.
[[nodiscard]] std::vector<Flag> file_flags(const std::string& group);

// allow-empty: for verbs that fail when they find no file.
[[nodiscard]] Flag allow_empty_flag(const std::string& group);

}  // namespace tidemill::command
