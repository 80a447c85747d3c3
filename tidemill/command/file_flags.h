// The flags by which a person says which files below the roots are meant. Every verb that walks has
// them, with the same words.
#pragma once

#include <string>
#include <vector>

#include "tidemill/command/verb.h"

namespace tidemill::command {

// glob, exclude, no-hidden.
[[nodiscard]] std::vector<Flag> file_flags(const std::string& group);

}  // namespace tidemill::command
