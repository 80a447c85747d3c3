// resolve_program: finds the file that a command's name means, once, so that not every child has to
// search for it. A name that leads to nothing is a Failure that says what to do.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::proc {

// As execvp() would: a name with a slash is a path, another is looked for in the folders of PATH.
[[nodiscard]] Result<std::string> resolve_program(std::string_view name);

// The same with a PATH of the caller's: folders with colons between them, an empty one is the
// current folder.
[[nodiscard]] Result<std::string> resolve_program(std::string_view name,
                                                  std::string_view search_path);

}  // namespace tidemill::proc
