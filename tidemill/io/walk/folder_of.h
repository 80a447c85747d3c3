// folder_of: the folder that contains the last component of a path, by the path alone. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace tidemill::walk {

[[nodiscard]] constexpr std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace tidemill::walk
