// The name of this host, for people.
#pragma once

#include <unistd.h>

#include <array>
#include <climits>
#include <string>

namespace tidemill {

[[nodiscard]] inline std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace tidemill
