// segments_of: the path of a request as names, "/runs/a%20b" as "runs" and "a b". It takes one
// spelling for one place and refuses all others, so that no part of a program sees another path
// than the one that was checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::web {

inline constexpr std::size_t kMostSegments = 32;

// "/" has no segments. Each is decoded once and may contain any bytes but control characters and
// both slashes. Fails with step "path" and Cure::give_up: a target that does not begin with '/'
// ("http://…", "*"), an empty segment ("//", a slash at the end), "." and "..", invalid escapes,
// bytes that must be escaped, too many segments. To be answered with 400.
[[nodiscard]] Result<std::vector<std::string>> segments_of(std::string_view path);

}  // namespace tidemill::web
