// is_within: whether a path is a folder or lies below it, by the names alone. Both are absolute,
// without "..", and without a trailing '/' except for the root folder itself.
#pragma once

#include <string_view>

namespace tidemill::walk {

[[nodiscard]] constexpr bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace tidemill::walk
