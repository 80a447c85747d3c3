// resolve_program: finds the executable file of a command once, so that not every child has to
// search PATH. If there is none, the Failure says what to do.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::proc {

// As execvp(): a name with a slash is a path, any other is searched for in the folders of PATH.
[[nodiscard]] Result<std::string> resolve_program(std::string_view name);

// The same with the caller's PATH: folders separated by colons; an empty one is the current folder.
[[nodiscard]] Result<std::string> resolve_program(std::string_view name,
                                                  std::string_view search_path);

}  // namespace tidemill::proc
