// Copies the bytes of one open file to another, and compares two open files.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::files {

// Copies from offset 0 to offset 0. Does not truncate `to` if it is longer.
[[nodiscard]] Result<void> copy_bytes(int from, int to);

[[nodiscard]] Result<bool> have_same_bytes(int one, int other);

}  // namespace tidemill::files
