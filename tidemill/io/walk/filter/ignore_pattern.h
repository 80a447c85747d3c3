// glob_of_ignore: a pattern of gitignore(5) in the words of globs.h, or nothing when no name can
// match it. They differ: in an ignore file braces are nothing special, "**" means folders only when
// it stands alone between slashes, and a class may hold [:alpha:] and the like.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::walk {

// `pattern` without its '!' and without the '/' at its beginning and end.
[[nodiscard]] std::optional<std::string> glob_of_ignore(std::string_view pattern);

}  // namespace tidemill::walk
