// write_all: bytes into an open file, however many calls it takes; and what the system said, as a
// Failure. A full disk and a lack of descriptors may pass: Cure::retry.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::files {

[[nodiscard]] Result<void> write_all(int file, std::string_view bytes, const std::string& path);

[[nodiscard]] std::unexpected<Failure> system_failure(int error, std::string_view step,
                                                      const std::string& path);

}  // namespace tidemill::files
