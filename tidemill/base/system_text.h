// The system's text for an error number: "No such file or directory". Thread-safe, unlike strerror.
#pragma once

#include <string>
#include <system_error>

namespace tidemill {

[[nodiscard]] inline std::string system_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace tidemill
