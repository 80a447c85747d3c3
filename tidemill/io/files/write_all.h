// write_all: writes all bytes to an open file, with as many calls as needed. system_failure: an
// errno as a Failure; a full disk and a lack of descriptors are transient (Cure::retry).
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::files {

[[nodiscard]] Result<void> write_all(int file, std::string_view bytes, const std::string& path);

[[nodiscard]] std::unexpected<Failure> system_failure(int error, std::string_view step,
                                                      const std::string& path);

}  // namespace tidemill::files
